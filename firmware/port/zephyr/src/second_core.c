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

#include "second_core.h"

LOG_MODULE_DECLARE(ranvier, CONFIG_RANVIER_LOG_LEVEL);

#define IMAGE DT_NODELABEL(ranvier_remote_image)
#define RAM   DT_NODELABEL(ranvier_remote_ram)

/* A partition's address is counted from where the flash begins. */
#define CODE                                                                                       \
	COND_CODE_1(DT_NODE_HAS_COMPAT(DT_PARENT(IMAGE), fixed_partitions),                        \
		    (CONFIG_FLASH_BASE_ADDRESS + DT_REG_ADDR(IMAGE)), (DT_REG_ADDR(IMAGE)))

static atomic_t started;

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

int rnv_zephyr_second_core_start(struct rnv_remote_header *header)
{
	struct rnv_remote_memory memory;
	struct rnv_remote_header mine;
	int status;

	if (!atomic_cas(&started, 0, 1)) {
		return RNV_ESTATE;
	}
	rnv_zephyr_second_core_memory(&memory);
	status = rnv_remote_image_check(&memory, &mine);
	if (header != NULL) {
		*header = mine;
	}
	if (status != RNV_OK) {
		(void)atomic_set(&started, 0);
		LOG_ERR("second core: not started: %s (%d)",
			(status == RNV_ENOENT) ? "no image" : "its image is damaged", status);
		return status;
	}
	rnv_zephyr_second_core_release(mine.address);
	LOG_INF("second core: started at 0x%08x, image of %u bytes, build %u", mine.address,
		mine.image_bytes, mine.build);
	return RNV_OK;
}

bool rnv_zephyr_second_core_runs(void)
{
	return atomic_get(&started) != 0;
}
