/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_DSP_SINE_H_
#define RANVIER_DSP_SINE_H_

#include <stdint.h>

/* Steps of a whole turn and of a quarter. */
#define RNV_DSP_SINE_TURN    2048u
#define RNV_DSP_SINE_QUARTER 512u

/* A quarter of a sine, both ends included. */
extern const int16_t rnv_dsp_sine[RNV_DSP_SINE_QUARTER + 1];

#endif /* RANVIER_DSP_SINE_H_ */
