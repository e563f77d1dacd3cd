/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "roi.h"

#include <baremetal/semihosting.h>

#include <stdint.h>
#include <string.h>

#define SYST_CSR (*(volatile uint32_t *)0xE000E010UL)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014UL)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018UL)

#define CSR_ENABLE    (1UL << 0)
#define CSR_CLKSOURCE (1UL << 2) /* the processor's clock */
#define RVR_MAX       0xFFFFFFUL /* 24 bits: differences are taken modulo 2^24 */

#define MAX_NOTES         8192U
#define CALIBRATION_TURNS 500000U /* of two instructions; known to ranvier.testing.qemu */

struct note {
	const char *name;
	uint32_t value;
	bool end;
};

bool rnv_roi_ticking;
static struct note notes[MAX_NOTES];
static uint32_t note_count;

void rnv_roi_note(const char *name, bool end)
{
	uint32_t value = SYST_CVR;

	if (note_count == MAX_NOTES) {
		rnv_semihost_puts("roi: more regions were run than can be noted\n");
		rnv_semihost_exit(1);
	}
	notes[note_count++] = (struct note){name, value, end};
}

static void calibrate(void)
{
	uint32_t turns = CALIBRATION_TURNS;

	rnv_roi_note("calibration", false);
	__asm__ volatile("1: subs %0, %0, #1\n\t"
			 "bne 1b"
			 : "+r"(turns)
			 :
			 : "cc");
	rnv_roi_note("calibration", true);
}

int rnv_roi_start(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[argc - 1], "ticks") != 0) {
		return argc;
	}
	SYST_RVR = RVR_MAX;
	SYST_CVR = 0U;
	SYST_CSR = CSR_ENABLE | CSR_CLKSOURCE;
	rnv_roi_ticking = true;
	calibrate();
	return argc - 1;
}

void rnv_roi_print(void)
{
	for (uint32_t i = 0; i < note_count; i++) {
		rnv_semihost_puts("tick ");
		rnv_semihost_puts(notes[i].name);
		rnv_semihost_puts(notes[i].end ? " end " : " begin ");
		rnv_semihost_put_i32((int32_t)notes[i].value);
		rnv_semihost_puts("\n");
	}
}
