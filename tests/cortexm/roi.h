/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef CORTEXM_ROI_H_
#define CORTEXM_ROI_H_

/*
 * Regions whose instructions are counted: RNV_ROI(name) once, then ROI_BEGIN(name) and
 * ROI_END(name) around the code. Counted in one of two ways, which ranvier.testing.qemu chooses:
 *
 * - The TCG plugin (benchmarks/cortexm/icount) finds the marker functions rnv_roi_NAME_begin() and
 *   rnv_roi_NAME_end() by their symbols and counts what is executed in between, the return from the
 *   one and the call of the other included.
 * - Where the program's last argument is "ticks", both ends note SysTick's value. Under
 *   `-icount shift=0` it is driven by executed instructions, some tens of them for each tick.
 */

#include <stdbool.h>

/* True where SysTick counts. */
extern bool rnv_roi_ticking;

/* Notes SysTick's value at an end of a region. */
void rnv_roi_note(const char *name, bool end);

/* Starts SysTick if the last argument asks for it; returns the number of arguments without that. */
int rnv_roi_start(int argc, char **argv);

/* Prints what was noted, if anything, as lines "tick NAME begin|end VALUE". */
void rnv_roi_print(void);

#define RNV_ROI_MARKER(symbol)                                                                     \
	void symbol(void);                                                                         \
	__attribute__((noinline, used)) void symbol(void)                                          \
	{                                                                                          \
		__asm__ volatile("" : : : "memory");                                               \
	}
#define RNV_ROI(name)                                                                              \
	RNV_ROI_MARKER(rnv_roi_##name##_begin)                                                     \
	RNV_ROI_MARKER(rnv_roi_##name##_end)

#define ROI_BEGIN(name)                                                                            \
	do {                                                                                       \
		if (rnv_roi_ticking) {                                                             \
			rnv_roi_note(#name, false);                                                \
		}                                                                                  \
		rnv_roi_##name##_begin();                                                          \
	} while (0)
#define ROI_END(name)                                                                              \
	do {                                                                                       \
		rnv_roi_##name##_end();                                                            \
		if (rnv_roi_ticking) {                                                             \
			rnv_roi_note(#name, true);                                                 \
		}                                                                                  \
	} while (0)

#endif /* CORTEXM_ROI_H_ */
