/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SIM_LAYOUT_H_
#define SIM_LAYOUT_H_

/* The flash and the models' places in it, from a file as `ranvier image --layout` reads it. */

#include <ranvier/flash.h>
#include <ranvier/store.h>

#define SIM_LANES 3

struct sim_layout {
	struct rnv_flash_geometry geometry;
	uint32_t model_count;
	struct rnv_store_layout models[RNV_STORE_MAX_MODELS]; /* names lie in `names` */
	uint32_t lanes[RNV_STORE_MAX_MODELS];                 /* bit l: lane l */
	char names[RNV_STORE_MAX_MODELS][RNV_NAME_BYTES];
};

extern const char *const sim_lane_names[SIM_LANES];

/* Number of a lane of that name or number, or -1. */
int sim_lane_find(const char *text);

/* Read a file, or "default". Prints what is wrong; 0: nothing. */
int sim_layout_read(struct sim_layout *layout, const char *path);

#endif /* SIM_LAYOUT_H_ */
