/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>
#include <zephyr/sys/atomic.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/second_core.h>

#include "park_internal.h"
#include "second_core.h"

LOG_MODULE_DECLARE(ranvier, CONFIG_RANVIER_LOG_LEVEL);

#define IMAGE DT_NODELABEL(ranvier_remote_image)
#define RAM   DT_NODELABEL(ranvier_remote_ram)

/* A partition's address is counted from where the flash begins. */
#define CODE                                                                                       \
	COND_CODE_1(DT_NODE_HAS_COMPAT(DT_PARENT(IMAGE), fixed_partitions),                        \
		    (CONFIG_FLASH_BASE_ADDRESS + DT_REG_ADDR(IMAGE)), (DT_REG_ADDR(IMAGE)))

enum second_core_state {
	HELD,
	CHECKING,
	RUNNING,
};
static atomic_t state = ATOMIC_INIT(HELD);

static int read(void *context, uint32_t offset, void *to, uint32_t bytes)
{
	ARG_UNUSED(context);
	if (offset > DT_REG_SIZE(IMAGE) || bytes > DT_REG_SIZE(IMAGE) - offset) {
		return RNV_EIO;
	}
	return rnv_zephyr_second_core_read((const uint8_t *)CODE + offset, to, bytes);
}

void rnv_zephyr_second_core_memory(struct rnv_remote_memory *memory)
{
	*memory = (struct rnv_remote_memory){
		.code = CODE,
		.code_bytes = DT_REG_SIZE(IMAGE),
		.ram = DT_REG_ADDR(RAM),
		.ram_bytes = DT_REG_SIZE(RAM),
		.read = read,
	};
}

static const char *refusal(int status)
{
	switch (status) {
	case RNV_ENOENT:
		return "no image";
	case RNV_ENOTSUP:
		return "its image has a header of another version";
	case RNV_EBADMSG:
		return "its image is damaged";
	case RNV_EFORMAT:
		return "its image is for another place";
	default:
		return "its flash does not work";
	}
}

/* From the check on to where the core counts as running, nobody writes its flash. */
static int check_and_release(struct rnv_remote_header *header)
{
	struct rnv_remote_memory memory;
	int status;

	rnv_zephyr_second_core_memory(&memory);
	rnv_runtime_park_exclude();
	status = rnv_remote_image_check(&memory, header);
	if (status == RNV_OK) {
		rnv_zephyr_second_core_release(header->address);
	}
	(void)atomic_set(&state, (status == RNV_OK) ? RUNNING : HELD);
	rnv_runtime_park_allow();
	return status;
}

int rnv_zephyr_second_core_start(struct rnv_remote_header *header)
{
	struct rnv_remote_header mine;
	int status;

	if (!atomic_cas(&state, HELD, CHECKING)) {
		return RNV_ESTATE;
	}
	status = check_and_release(&mine);
	if (header != NULL) {
		*header = mine;
	}
	if (status != RNV_OK) {
		LOG_ERR("second core: not started: %s (%d)", refusal(status), status);
		return status;
	}
	LOG_INF("second core: started at 0x%08x, image of %u bytes, build %u", mine.address,
		mine.image_bytes, mine.build);
	return RNV_OK;
}

bool rnv_zephyr_second_core_runs(void)
{
	return atomic_get(&state) == RUNNING;
}
