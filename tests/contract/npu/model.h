/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_CONTRACT_NPU_MODEL_H_
#define TESTS_CONTRACT_NPU_MODEL_H_

/* A small package with two marked steps (convolution, fully connected) and one that is not. */

#include "../../unit/model/package_fixture.h"

static inline void model_open(struct image *image, struct rnv_package *pkg)
{
	struct rnv_diag diag;

	image_init(image);
	image->steps[OP_CONV].flags = RNV_STEP_NPU;
	image->steps[OP_FC].flags = RNV_STEP_NPU;
	image_seal(image);
	assert_int_equal(rnv_package_open(pkg, image, sizeof(*image), 0, &diag), RNV_OK);
}

#endif /* TESTS_CONTRACT_NPU_MODEL_H_ */
