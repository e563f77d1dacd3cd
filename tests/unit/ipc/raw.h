/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_IPC_RAW_H_
#define RNV_TESTS_IPC_RAW_H_

/* A server made by hand, from the offsets of SPEC.md section 7; knows nothing of core/src/ipc. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "ranvier/client.h"

#define GUARD 256

static _Alignas(64) uint8_t memory[GUARD + 4096 + GUARD];
static uint8_t *const region = memory + GUARD;

/* Offsets of words. */
enum {
	MAGIC = 0,
	EPOCH = 12,
	SERVER_BEAT = 64,
	ACCEPT = 68,
	PARK = 72,
	CLIENT_EPOCH = 128,
	HELLO = 132,
	CLIENT_BEAT = 136,
	REQUEST_CLIENT = 192,
	REQUEST_SERVER = 256,
	RESPONSE_SERVER = 320,
	RESPONSE_CLIENT = 384,
	MESSAGES = 448,
};

struct sizes {
	uint32_t entries;
	uint32_t slots;
	uint32_t slot_bytes;
};

static const struct sizes usual = {4, 2, 256};

static inline uint32_t get(uint32_t offset)
{
	const uint8_t *p = region + offset;

	return (uint32_t)(p[0] | p[1] << 8 | p[2] << 16) | (uint32_t)p[3] << 24;
}

static inline void put(uint32_t offset, uint32_t value)
{
	for (uint32_t i = 0; i < 4; i++) {
		region[offset + i] = (uint8_t)(value >> (8 * i));
	}
}

static inline uint32_t slots_at(const struct sizes *sizes)
{
	return MESSAGES + 64 * sizes->entries;
}

/* CRC-32 bit by bit. */
static inline uint32_t crc_of(const uint8_t *data, uint32_t bytes)
{
	uint32_t crc = 0xFFFFFFFFu;

	for (uint32_t i = 0; i < bytes; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++) {
			crc = (crc >> 1) ^ ((crc & 1u) != 0u ? 0xEDB88320u : 0u);
		}
	}
	return ~crc;
}

static inline void raw_format(uint32_t epoch, const struct sizes *sizes)
{
	put(MAGIC, 0);
	put(4, 1 | 64 << 16);
	put(8, slots_at(sizes) + sizes->slots * sizes->slot_bytes);
	put(EPOCH, epoch);
	put(16, sizes->entries);
	put(20, sizes->slots);
	put(24, sizes->slot_bytes);
	put(28, slots_at(sizes));
	put(32, 1000);
	put(36, 0);
	put(40, 0);
	put(44, crc_of(region + 4, 40));
	put(ACCEPT, 0);
	put(PARK, 0);
	put(MAGIC, 0x49564E52);
}

/* Empty rings, then accept whoever has said hello. */
static inline void raw_accept(void)
{
	assert_int_equal(get(HELLO), get(EPOCH));
	put(REQUEST_SERVER, get(REQUEST_CLIENT));
	put(RESPONSE_SERVER, get(RESPONSE_CLIENT));
	put(ACCEPT, get(CLIENT_EPOCH));
}

struct raw_message {
	uint32_t id;
	uint32_t epoch;
	uint32_t type;
	int32_t status;
	uint32_t offset;
	uint32_t bytes;
	uint32_t args[3];
};

/* Take the oldest request: 1, or 0 if there is none. */
static inline int raw_take(const struct sizes *sizes, struct raw_message *message)
{
	uint32_t index = get(REQUEST_SERVER);
	uint32_t at = MESSAGES + 32 * (index % sizes->entries);

	if (index == get(REQUEST_CLIENT)) {
		return 0;
	}
	message->id = get(at);
	message->epoch = get(at + 4);
	message->type = get(at + 8) & 0xFFFFu;
	message->status = (int16_t)(get(at + 8) >> 16);
	message->offset = get(at + 12);
	message->bytes = get(at + 16);
	for (uint32_t i = 0; i < 3; i++) {
		message->args[i] = get(at + 20 + 4 * i);
	}
	put(REQUEST_SERVER, index + 1);
	return 1;
}

/* Append a response. */
static inline void raw_answer(const struct sizes *sizes, const struct raw_message *message)
{
	uint32_t index = get(RESPONSE_SERVER);
	uint32_t at = MESSAGES + 32 * sizes->entries + 32 * (index % sizes->entries);

	put(at, message->id);
	put(at + 4, message->epoch);
	put(at + 8, message->type | (uint32_t)message->status << 16);
	put(at + 12, message->offset);
	put(at + 16, message->bytes);
	for (uint32_t i = 0; i < 3; i++) {
		put(at + 20 + 4 * i, message->args[i]);
	}
	put(RESPONSE_SERVER, index + 1);
}

static inline int guards_are_whole(void)
{
	for (uint32_t i = 0; i < GUARD; i++) {
		if (memory[i] != 0xA5 || memory[sizeof(memory) - 1 - i] != 0xA5) {
			return 0;
		}
	}
	return 1;
}

/* The same sequence in each test. */
static uint32_t random_state;

static inline uint32_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

/* Memory as it may be after power-on. */
static inline void raw_power_on(void)
{
	memset(memory, 0xA5, sizeof(memory));
	random_state = 0x2545F491;
	for (uint32_t i = 0; i < 4096; i++) {
		region[i] = (uint8_t)random_word();
	}
}

#endif /* RNV_TESTS_IPC_RAW_H_ */
