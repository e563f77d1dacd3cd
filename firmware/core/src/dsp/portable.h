/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_DSP_PORTABLE_H_
#define RANVIER_DSP_PORTABLE_H_

#include "ranvier/dsp.h"

int rnv_dsp_rfft(void *context, const int16_t *in, struct rnv_dsp_complex *out, uint32_t points);
int rnv_dsp_matmul(void *context, const struct rnv_dsp_matmul *product);

#endif /* RANVIER_DSP_PORTABLE_H_ */
