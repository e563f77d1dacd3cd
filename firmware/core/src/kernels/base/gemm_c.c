/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * @file
 * @brief Portable twins of gemm.S and gemm_one.S.
 */

#include <stdbool.h>

#include "kernels/base/gemm.h"
#include "kernels/fixed_point.h"

/* What a call works on. */
struct job {
	const void *columns;
	uint32_t values; /* of a column */
	uint32_t width;
	bool direct; /* the column's values are bytes */
	enum rnv_epilogue epilogue;
	uint32_t channel;
};

static inline int32_t value_at(const struct job *job, uint32_t i)
{
	return job->direct ? ((const int8_t *)job->columns)[i] : ((const int32_t *)job->columns)[i];
}

/* Add the products of one pair, whose words are `words` apart, to the sum of each column. */
static inline void products(const struct job *job, const int32_t *w, uint32_t words, uint64_t *sums)
{
	for (uint32_t k = 0; k < job->values; k++) {
		for (uint32_t p = 0; p < job->width; p++) {
			int64_t product = (int64_t)w[k * words] * value_at(job, job->width * k + p);

			sums[p] += (uint64_t)product;
		}
	}
}

/* `SSAT8((U m + K) >> 36)`. */
static inline int8_t scaled(uint32_t sum, int32_t multiplier, const int32_t *k)
{
	uint64_t constant = (uint32_t)k[0] | (uint64_t)(uint32_t)k[1] << 32;
	uint64_t total = constant + (uint64_t)((int64_t)(int32_t)sum * multiplier);
	int32_t high = (int32_t)(total >> 32);

	return (int8_t)rnv_clamp(high >> (RNV_BASE_SHIFT - 32), INT8_MIN, INT8_MAX);
}

/* Outputs of one pair from its sums; returns the end of its tail. */
static inline const int32_t *outputs(const struct job *job, const uint64_t *sums,
				     const int32_t *tail, int8_t *out)
{
	uint32_t u[RNV_BASE_COLUMNS * RNV_BASE_OUTPUTS];

	for (uint32_t p = 0; p < job->width; p++) {
		u[RNV_BASE_OUTPUTS * p] = (uint32_t)sums[p] & 0xFFFFFFu;
		u[RNV_BASE_OUTPUTS * p + 1u] = (uint32_t)(sums[p] >> 24);
	}
	if (job->epilogue == RNV_EPILOGUE_TEXTBOOK) {
		if (job->width == 1u) {
			rnv_base_textbook_one(u, tail, out, job->channel);
		} else {
			rnv_base_textbook(u, tail, out, job->channel);
		}
		return tail + 4;
	}
	for (uint32_t i = 0; i < RNV_BASE_OUTPUTS; i++) {
		bool linear = job->epilogue == RNV_EPILOGUE_LINEAR;

		for (uint32_t p = 0; p < job->width; p++) {
			uint32_t sum = u[RNV_BASE_OUTPUTS * p + i];
			uint32_t side = linear ? (sum >> RNV_BASE_SIGN & 1u) : 0u;

			out[p] = scaled(sum, tail[0], tail + 1u + 2u * side);
		}
		tail += linear ? 5 : 3;
		out += job->channel;
	}
	return tail;
}

static inline void gemm(const struct job *job, const int32_t *w, const int32_t *w_end, int8_t *out)
{
	uint32_t pair_words = rnv_base_pair_bytes(job->values / 4u, job->epilogue) / 4u;

	while (w != w_end) {
		uint32_t pairs = ((uint32_t)(w_end - w) > pair_words) ? 2u : 1u;
		const int32_t *weights = w + 2u * pairs;
		const int32_t *tail = weights + pairs * job->values;

		for (uint32_t pair = 0; pair < pairs; pair++) {
			uint64_t sums[RNV_BASE_COLUMNS];

			for (uint32_t p = 0; p < job->width; p++) {
				sums[p] = (uint32_t)w[2u * pair] |
					  (uint64_t)(uint32_t)w[2u * pair + 1u] << 32;
			}
			products(job, weights + pair, pairs, sums);
			tail = outputs(job, sums, tail, out);
			out += RNV_BASE_OUTPUTS * job->channel;
		}
		w = tail;
	}
}

/* The twins: a name for each kind of columns and epilogue. */
#define GEMM(name, columns_width, is_direct, kind)                                                 \
	void name(const void *w, const void *columns, int8_t *out, uint32_t channel,               \
		  const void *w_end, uint32_t quads)                                               \
	{                                                                                          \
		const struct job job = {columns,   4u * quads, columns_width,                      \
					is_direct, kind,       channel};                           \
                                                                                                   \
		gemm(&job, w, w_end, out);                                                         \
	}

GEMM(rnv_base_gemm_relu_c, RNV_BASE_COLUMNS, false, RNV_EPILOGUE_RELU)
GEMM(rnv_base_gemm_linear_c, RNV_BASE_COLUMNS, false, RNV_EPILOGUE_LINEAR)
GEMM(rnv_base_gemm_textbook_c, RNV_BASE_COLUMNS, false, RNV_EPILOGUE_TEXTBOOK)
GEMM(rnv_base_gemm_one_relu_c, 1, false, RNV_EPILOGUE_RELU)
GEMM(rnv_base_gemm_one_linear_c, 1, false, RNV_EPILOGUE_LINEAR)
GEMM(rnv_base_gemm_one_textbook_c, 1, false, RNV_EPILOGUE_TEXTBOOK)
GEMM(rnv_base_gemm_direct_relu_c, 1, true, RNV_EPILOGUE_RELU)
GEMM(rnv_base_gemm_direct_linear_c, 1, true, RNV_EPILOGUE_LINEAR)
GEMM(rnv_base_gemm_direct_textbook_c, 1, true, RNV_EPILOGUE_TEXTBOOK)
