/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_CONTRACT_DSP_CONTRACT_H_
#define TESTS_CONTRACT_DSP_CONTRACT_H_

/*
 * What every implementation of ranvier/dsp.h must do, as one suite for any of them, on any port: no
 * test framework, no OS, no floating point, 13 KB of static memory. Not judged: calls from several
 * threads at once.
 */

#include <stdint.h>

#include "ranvier/dsp.h"

/*
 * Run every check. Returns NULL, or which MUST was broken first. `checks` receives how many were
 * made.
 *
 * An exact implementation is compared with vectors.h (made by tflite-micro), another one with
 * rnv_dsp_portable() within its tolerance.
 */
const char *dsp_contract_run(const struct rnv_dsp_api *api, void *context, uint32_t *checks);

/* Samples of vectors.h: xorshift32 from `seed`, its upper 16 bits, divided by 2^shift. */
void dsp_contract_samples(int16_t *samples, uint32_t count, uint32_t seed, uint32_t shift);

#endif /* TESTS_CONTRACT_DSP_CONTRACT_H_ */
