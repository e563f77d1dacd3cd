/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#define _DEFAULT_SOURCE /* flock() */

#include <posix/flash.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC  0x48534C46564E52ULL /* "RNVFLSH" */
#define FORMAT 1u
#define ALIGN  64u /* of the parts of a block */

/* The start of a block; in the machine's own byte order, as a file is not carried about. */
struct header {
	uint64_t magic;
	uint32_t format;
	uint32_t bytes;
	uint32_t sector_bytes;
	uint32_t unit_bytes;
	uint32_t erased;
	uint32_t reserved;
	uint64_t random;
	struct rnv_posix_flash_stats stats;
};

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + ALIGN - 1u) / ALIGN * ALIGN;
}

static bool is_power_of_two(uint32_t value)
{
	return value != 0u && (value & (value - 1u)) == 0u;
}

static uint64_t units_offset(const struct rnv_flash_geometry *g)
{
	return aligned(sizeof(struct header)) +
	       aligned((uint64_t)(g->bytes / g->sector_bytes) * sizeof(uint32_t));
}

static uint64_t content_offset(const struct rnv_flash_geometry *g)
{
	return units_offset(g) + aligned(g->bytes / g->unit_bytes);
}

uint64_t rnv_posix_flash_bytes(const struct rnv_flash_geometry *g)
{
	if (g == NULL || !is_power_of_two(g->sector_bytes) || !is_power_of_two(g->unit_bytes) ||
	    g->unit_bytes > RNV_FLASH_MAX_UNIT || g->unit_bytes > g->sector_bytes ||
	    g->bytes == 0u || g->bytes > 0x80000000u || g->bytes % g->sector_bytes != 0u ||
	    (g->erased != 0x00u && g->erased != 0xFFu)) {
		return 0;
	}
	return content_offset(g) + g->bytes;
}

static void attach(struct rnv_posix_flash *flash, const struct rnv_flash_geometry *geometry,
		   void *block, uint64_t block_bytes)
{
	struct header *header = block;
	uint8_t *bytes = block;

	*flash = (struct rnv_posix_flash){.geometry = *geometry, .file = -1};
	flash->block = block;
	flash->block_bytes = block_bytes;
	flash->stats = &header->stats;
	flash->random = &header->random;
	flash->wear = (uint32_t *)(void *)(bytes + aligned(sizeof(*header)));
	flash->units = bytes + units_offset(geometry);
	flash->content = bytes + content_offset(geometry);
}

static void make(struct rnv_posix_flash *flash, uint64_t seed)
{
	const struct rnv_flash_geometry *g = &flash->geometry;
	struct header *header = flash->block;

	memset(flash->block, 0, content_offset(g));
	memset(flash->content, (int)g->erased, g->bytes);
	*header = (struct header){
		.format = FORMAT,
		.bytes = g->bytes,
		.sector_bytes = g->sector_bytes,
		.unit_bytes = g->unit_bytes,
		.erased = g->erased,
		.random = seed,
	};
	atomic_signal_fence(memory_order_seq_cst);
	header->magic = MAGIC; /* last: without it a file is none */
}

int rnv_posix_flash_init(struct rnv_posix_flash *flash, const struct rnv_flash_geometry *geometry,
			 void *memory, uint64_t bytes, uint64_t seed)
{
	const uint64_t need = rnv_posix_flash_bytes(geometry);

	if (flash == NULL || memory == NULL || need == 0u) {
		return RNV_EINVAL;
	}
	if ((uintptr_t)memory % 16u != 0u) {
		return RNV_EALIGN;
	}
	if (bytes < need) {
		return RNV_ENOMEM;
	}
	attach(flash, geometry, memory, need);
	make(flash, seed);
	return RNV_OK;
}

/* Whether the header is one, of this geometry. */
static int check(const struct rnv_posix_flash *flash)
{
	const struct rnv_flash_geometry *g = &flash->geometry;
	const struct header *header = flash->block;

	if (header->magic != MAGIC || header->format != FORMAT) {
		return RNV_EFORMAT;
	}
	if (header->bytes != g->bytes || header->sector_bytes != g->sector_bytes ||
	    header->unit_bytes != g->unit_bytes || header->erased != g->erased) {
		return RNV_EBADMSG;
	}
	return RNV_OK;
}

/* Map an open file that is at least as long as a header, or empty. */
static int map_file(struct rnv_posix_flash *flash, const struct rnv_flash_geometry *geometry,
		    int file, uint64_t seed)
{
	const uint64_t need = rnv_posix_flash_bytes(geometry);
	struct stat info;
	void *block;
	int status = RNV_OK;

	if (flock(file, LOCK_EX | LOCK_NB) != 0) {
		return errno == EWOULDBLOCK ? RNV_EBUSY : -errno;
	}
	if (fstat(file, &info) != 0) {
		return -errno;
	}
	if (info.st_size != 0 && info.st_size < (off_t)sizeof(struct header)) {
		return RNV_EFORMAT;
	}
	if (info.st_size == 0 && ftruncate(file, (off_t)need) != 0) {
		return -errno;
	}
	block = mmap(NULL, need, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (block == MAP_FAILED) {
		return -errno;
	}
	attach(flash, geometry, block, need);
	if (info.st_size == 0 ||
	    (info.st_size == (off_t)need && ((const struct header *)block)->magic == 0u)) {
		make(flash, seed); /* new, or its maker was killed */
	} else {
		status = check(flash);
		/* Only now is it known how long the file has to be. */
		if (status == RNV_OK && info.st_size != (off_t)need) {
			status = RNV_EFORMAT;
		}
	}
	if (status != RNV_OK) {
		(void)munmap(block, need);
	}
	return status;
}

int rnv_posix_flash_open(struct rnv_posix_flash *flash, const struct rnv_flash_geometry *geometry,
			 const char *path, uint64_t seed)
{
	int file;
	int status;

	if (flash == NULL || path == NULL || rnv_posix_flash_bytes(geometry) == 0u) {
		return RNV_EINVAL;
	}
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0) {
		return -errno;
	}
	status = map_file(flash, geometry, file, seed);
	if (status != RNV_OK) {
		(void)close(file);
		return status;
	}
	flash->file = file;
	rnv_posix_flash_power_on(flash);
	return RNV_OK;
}

void rnv_posix_flash_close(struct rnv_posix_flash *flash)
{
	if (flash->file >= 0) {
		(void)munmap(flash->block, flash->block_bytes);
		(void)close(flash->file);
	}
	*flash = (struct rnv_posix_flash){.file = -1, .off = 1};
}

/* --- script ------------------------------------------------------------------------------------
 */

int rnv_posix_flash_script(struct rnv_posix_flash *flash, const struct rnv_posix_flash_fault *fault)
{
	if (fault->kind < RNV_POSIX_FLASH_CUT || fault->kind > RNV_POSIX_FLASH_LIE ||
	    fault->tear > RNV_POSIX_FLASH_TEAR_WEAK) {
		return RNV_EINVAL;
	}
	if (flash->fault_count == RNV_POSIX_FLASH_FAULTS) {
		return RNV_ENOSPC;
	}
	flash->faults[flash->fault_count++] = *fault;
	return RNV_OK;
}

uint32_t rnv_posix_flash_ops(const struct rnv_posix_flash *flash)
{
	return flash->ops;
}

void rnv_posix_flash_seed(struct rnv_posix_flash *flash, uint64_t seed)
{
	*flash->random = seed;
}

/* --- units and sectors -------------------------------------------------------------------------
 */

static bool in_region(const struct rnv_posix_flash *flash, uint32_t offset, uint32_t bytes)
{
	return bytes > 0u && offset < flash->geometry.bytes &&
	       bytes <= flash->geometry.bytes - offset;
}

int rnv_posix_flash_mark(struct rnv_posix_flash *flash, uint32_t offset, uint32_t bytes,
			 uint32_t state)
{
	const uint32_t unit_bytes = flash->geometry.unit_bytes;

	if (!in_region(flash, offset, bytes) || state > RNV_POSIX_FLASH_HOLLOW) {
		return RNV_EINVAL;
	}
	for (uint32_t u = offset / unit_bytes; u <= (offset + bytes - 1u) / unit_bytes; u++) {
		flash->units[u] = (uint8_t)state;
	}
	return RNV_OK;
}

int rnv_posix_flash_flip(struct rnv_posix_flash *flash, uint32_t offset, uint32_t mask)
{
	if (!in_region(flash, offset, 1)) {
		return RNV_EINVAL;
	}
	flash->content[offset] ^= (uint8_t)mask;
	return RNV_OK;
}

int rnv_posix_flash_unit_state(const struct rnv_posix_flash *flash, uint32_t offset)
{
	return in_region(flash, offset, 1) ? flash->units[offset / flash->geometry.unit_bytes]
					   : RNV_EINVAL;
}

uint32_t rnv_posix_flash_bad(const struct rnv_posix_flash *flash, uint32_t offset, uint32_t bytes)
{
	const uint32_t unit_bytes = flash->geometry.unit_bytes;
	uint32_t count = 0;

	if (!in_region(flash, offset, bytes)) {
		return 0;
	}
	for (uint32_t u = offset / unit_bytes; u <= (offset + bytes - 1u) / unit_bytes; u++) {
		const uint8_t state = flash->units[u];

		if (state == RNV_POSIX_FLASH_BAD || state == RNV_POSIX_FLASH_UNSTABLE ||
		    (flash->erased_faults != 0u &&
		     (state == RNV_POSIX_FLASH_ERASED || state == RNV_POSIX_FLASH_FADING ||
		      state == RNV_POSIX_FLASH_WEAK))) {
			count++;
		}
	}
	return count;
}

uint32_t rnv_posix_flash_wear(const struct rnv_posix_flash *flash, uint32_t sector)
{
	return sector < flash->geometry.bytes / flash->geometry.sector_bytes ? flash->wear[sector]
									     : 0u;
}

void rnv_posix_flash_stats_get(const struct rnv_posix_flash *flash,
			       struct rnv_posix_flash_stats *stats)
{
	*stats = *flash->stats;
}
