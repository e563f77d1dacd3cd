/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef EXCHANGE_H_
#define EXCHANGE_H_

/* The client's requests: all frames, again and again, as many at once as there are slots. */

#include <stdint.h>

#include <ranvier/client.h>

#define FRAMES      10
#define FRAME_BYTES 784
#define SCORES      10

/* Grey pixels; the output of its index is the expected one. */
extern const uint8_t *const frames[FRAMES];

/* What has become of the frames. */
struct exchange_totals {
	uint32_t right;    /* the expected output was the largest */
	uint32_t wrong;    /* another one was */
	uint32_t other;    /* not the same output, bit by bit, as the first time */
	uint32_t stale;    /* since the server was another one or was lost; sent again */
	uint32_t failed;   /* otherwise; sent again */
	uint64_t sum_us;   /* of the round trips of those that ended well */
	uint32_t least_us; /* shortest; 0: none */
	uint32_t most_us;
};

/* Begin; `count` frames are to end well. */
void exchange_init(struct rnv_client *client, uint32_t count);

/* Send what can be sent. Returns 0 when all is over, RNV_ENOENT without such a model, else 1. */
int exchange_move(void);

const struct exchange_totals *exchange_totals_get(void);

/* The output of a frame, or NULL where none has come. */
const int8_t *exchange_output(uint32_t frame);

#endif /* EXCHANGE_H_ */
