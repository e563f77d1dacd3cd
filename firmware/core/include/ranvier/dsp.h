/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_DSP_H_
#define RANVIER_DSP_H_

/**
 * @file
 * @brief The signal processing seam: what pre-processing may leave to a coprocessor.
 *
 * rnv_dsp_portable() is the definition: plain C, exact, always there. Another implementation
 * either is equal to it bit by bit or states its tolerance; tests/contract/dsp is what it has to
 * pass.
 */

#include <stdint.h>

#include "ranvier/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Smallest real FFT that every implementation has, in points. */
#define RNV_DSP_FFT_MIN 32
/** Largest real FFT that every implementation has, in points. */
#define RNV_DSP_FFT_MAX 2048

/** Largest sample for which rfft() cannot overflow. */
#define RNV_DSP_FFT_SAFE 23000

/** A complex number. */
struct rnv_dsp_complex {
	int16_t re; /**< real part */
	int16_t im; /**< imaginary part */
};

/** A matrix product: `out[r][c] = sum over i of a[r][i] * b[i][c]`, all dense by rows. */
struct rnv_dsp_matmul {
	const int16_t *a; /**< `rows` x `depth`; only read */
	const int16_t *b; /**< `depth` x `columns`; only read */
	int16_t *out;     /**< `rows` x `columns`; overlaps neither */
	uint16_t rows;    /**< at least 1 */
	uint16_t depth;   /**< at least 1 */
	uint16_t columns; /**< at least 1 */
	uint8_t shift;    /**< 0..31; 15: Q15 times Q15 is Q15 */
};

/** What an implementation is; constant for its life. */
struct rnv_dsp_caps {
	const char *name;          /**< static text for logs, e.g. "portable" */
	uint8_t exact;             /**< 1: equal to rnv_dsp_portable() bit by bit */
	uint16_t fft_tolerance;    /**< else: largest difference of a part in rfft() */
	uint16_t matmul_tolerance; /**< else: largest difference of an element in matmul() */
};

/**
 * An implementation. All of its functions may be called from several threads at once (one with a
 * single device excludes them itself) but from no interrupt, need no other memory than their
 * arguments', MUST return only when the outputs are written, and MUST write nothing else.
 */
struct rnv_dsp_api {
	/** @brief Capabilities. MUST return the same pointer at every call. */
	const struct rnv_dsp_caps *(*caps)(void *context);

	/**
	 * @brief FFT of real samples: `out[k]` is the sum over i of `in[i] * exp(-2j pi i k /
	 * points)`, divided by `points`.
	 *
	 * Radix 4, then one radix 2 where needed, on pairs of samples as complex numbers, then the
	 * separation of the two halves; 16-bit parts, twiddles round(32767 x), products rounded to
	 * the nearest (half up), operands scaled by 8191/32768 or 16383/32768 before each
	 * butterfly. That is the arithmetic of KISS FFT with 16-bit fixed point, and so of
	 * TensorFlow Lite Micro's audio front end: equal to it bit by bit. Where a sample is beyond
	 * +-RNV_DSP_FFT_SAFE, parts may wrap, as they do there.
	 *
	 * @param in     `points` samples
	 * @param out    `points` / 2 + 1 values; does not overlap `in`
	 * @param points power of two, RNV_DSP_FFT_MIN..RNV_DSP_FFT_MAX
	 * @retval RNV_OK     written
	 * @retval RNV_EINVAL NULL, or no such size; nothing is written
	 */
	int (*rfft)(void *context, const int16_t *in, struct rnv_dsp_complex *out, uint32_t points);

	/**
	 * @brief Matrix product: exact sums, then `(sum + 2^(shift - 1)) >> shift` (to the nearest,
	 * half up; the sum itself where `shift` is 0), saturated to 16 bits.
	 *
	 * @retval RNV_OK     written
	 * @retval RNV_EINVAL NULL, a size of 0, or a shift out of range; nothing is written
	 */
	int (*matmul)(void *context, const struct rnv_dsp_matmul *product);
};

/**
 * The portable implementation. Has no state: its `context` is ignored.
 *
 * @return constant
 */
const struct rnv_dsp_api *rnv_dsp_portable(void);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_DSP_H_ */
