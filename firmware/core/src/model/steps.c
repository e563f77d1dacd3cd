/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "ranvier/package.h"
#include "ranvier/status.h"

#include "kernels/kernel.h"
#include "sweep.h"
#include "verify.h"

/*
 * Apart from the sweep's own file, so that its frame is not on the stack below a kernel's check():
 * opening a package must stay within 256 bytes.
 */
int rnv_verify_liveness(const struct rnv_package *pkg, struct rnv_diag *diag)
{
	struct rnv_sweep sweep = {.pkg = pkg, .diag = diag};
	int status = RNV_OK;

	for (uint32_t step = 0; step < pkg->step_count && status == RNV_OK; step++) {
		struct rnv_op op = {.pkg = pkg, .rec = &pkg->ops[step]};
		int mask = rnv_kernel_table[op.rec->code]->check(&op);

		if (mask < 0) {
			return rnv_refuse(diag, mask, RNV_WHAT_OP_PARAMS, step, op.rec->code);
		}
		status = rnv_sweep_step(&sweep, &op, (uint32_t)mask, step);
	}
	return status;
}
