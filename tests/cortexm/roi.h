/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CORTEXM_ROI_H_
#define CORTEXM_ROI_H_

/*
 * Defines the marker functions rnv_roi_NAME_begin() and rnv_roi_NAME_end(). The instruction counter
 * (benchmarks/cortexm/icount) finds them by their symbols and counts what is executed in between,
 * the return from the one and the call of the other included.
 */
#define RNV_ROI_MARKER(symbol)                                                                     \
	void symbol(void);                                                                         \
	__attribute__((noinline, used)) void symbol(void)                                          \
	{                                                                                          \
		__asm__ volatile("" : : : "memory");                                               \
	}
#define RNV_ROI(name)                                                                              \
	RNV_ROI_MARKER(rnv_roi_##name##_begin)                                                     \
	RNV_ROI_MARKER(rnv_roi_##name##_end)

#endif /* CORTEXM_ROI_H_ */
