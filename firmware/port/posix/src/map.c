/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <posix/map.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ranvier/status.h>

/* Size of an open file that can be mapped, or a negative code. */
static int64_t file_bytes(int file)
{
	struct stat info;

	if (fstat(file, &info) != 0) {
		return -errno;
	}
	if (!S_ISREG(info.st_mode)) {
		return S_ISDIR(info.st_mode) ? -EISDIR : -EINVAL;
	}
	if (info.st_size == 0) {
		return RNV_EFORMAT;
	}
	return ((uint64_t)info.st_size <= UINT32_MAX) ? (int64_t)info.st_size : -EFBIG;
}

/* Read exactly `bytes` bytes. */
static int read_all(int file, uint8_t *memory, size_t bytes)
{
	while (bytes != 0U) {
		ssize_t got = read(file, memory, bytes);

		if (got == 0) {
			return -EBUSY;
		}
		if (got < 0 && errno != EINTR) {
			return -errno;
		}
		if (got > 0) {
			memory += got;
			bytes -= (size_t)got;
		}
	}
	return 0;
}

/* A read-only copy of an open file of this size. */
static int copy_file(struct rnv_posix_map *map, int file, size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;

	if (memory == MAP_FAILED) {
		return -errno;
	}
	status = read_all(file, memory, bytes);
	if (status == 0 && mprotect(memory, bytes, PROT_READ) != 0) {
		status = -errno;
	}
	if (status != 0) {
		(void)munmap(memory, bytes);
		return status;
	}
	map->data = memory;
	map->bytes = (uint32_t)bytes;
	return 0;
}

int rnv_posix_map(struct rnv_posix_map *map, const char *path)
{
	int64_t bytes;
	int status;
	int file;

	if (map == NULL) {
		return -EINVAL;
	}
	*map = (struct rnv_posix_map){NULL, 0};
	if (path == NULL) {
		return -EINVAL;
	}
	/* Does not wait for the writer of a pipe; without effect on a file. */
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0) {
		return -errno;
	}
	bytes = file_bytes(file);
	status = (bytes < 0) ? (int)bytes : copy_file(map, file, (size_t)bytes);
	(void)close(file);
	return status;
}

void rnv_posix_unmap(struct rnv_posix_map *map)
{
	if (map->data != NULL) {
		(void)munmap((void *)(uintptr_t)map->data, map->bytes);
	}
	*map = (struct rnv_posix_map){NULL, 0};
}
