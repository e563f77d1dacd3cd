/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "support.h"

#include <string.h>

#if defined(__ARM_ARCH_PROFILE)
#include <baremetal/semihosting.h>
#else
#include <stdio.h>
#include <stdlib.h>
#endif

#define PATTERN 0xA5u

static uint32_t state = 1;

uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

int32_t random_in(int32_t low, int32_t high)
{
	uint32_t span = (uint32_t)high - (uint32_t)low + 1u;

	return (int32_t)((uint32_t)low +
			 (span == 0u ? random_word() : (random_word() >> 3) % span));
}

void random_seed(uint32_t seed)
{
	state = (seed == 0u) ? 1u : seed * 2654435761u;
	random_word();
}

int8_t random_input(int32_t kind)
{
	switch (kind) {
	case 0:
		return -128;
	case 1:
		return 127;
	case 2:
		return (random_word() % 2u != 0u) ? 127 : -128;
	default:
		return (int8_t)random_word();
	}
}

static void quit(const char *reason)
{
	say(reason);
#if defined(__ARM_ARCH_PROFILE)
	rnv_semihost_exit(2);
#else
	exit(2);
#endif
}

struct guarded guard(uint8_t *pool, size_t pool_bytes, size_t bytes, size_t offset)
{
	struct guarded buffer = {pool, pool + GUARD_BYTES + offset, bytes, 0};

	buffer.pool_bytes = GUARD_BYTES + offset + bytes + GUARD_BYTES;
	if (buffer.pool_bytes > pool_bytes) {
		quit("a pool is too small\n");
	}
	memset(pool, PATTERN, buffer.pool_bytes);
	return buffer;
}

bool guard_holds(const struct guarded *buffer)
{
	const uint8_t *after = buffer->data + buffer->bytes;

	for (const uint8_t *p = buffer->pool; p != buffer->pool + buffer->pool_bytes; p++) {
		if ((p < buffer->data || p >= after) && *p != PATTERN) {
			return false;
		}
	}
	return true;
}

bool call_pairs(any_fn *function, const struct guarded *stream, const uint8_t *columns,
		uint8_t *out, uint32_t outputs, uint32_t step, uint32_t quads)
{
	uint32_t pair = (uint32_t)stream->bytes / ((outputs + 1u) / 2u);
	uintptr_t w = (uintptr_t)stream->data;
	uintptr_t middle = w + pair * (outputs / 2u);
	uintptr_t end = w + stream->bytes;
	uintptr_t pairs[6] = {w, (uintptr_t)columns, (uintptr_t)out, step, middle, quads};
	uintptr_t last = (uintptr_t)(out + (outputs - 1u) * step);
	uintptr_t odd[6] = {middle, (uintptr_t)columns, last, 0, end, quads};
	uintptr_t nothing;

	return (w == middle || call_checked(function, pairs, &nothing)) &&
	       (middle == end || call_checked(function, odd, &nothing));
}

int run_rounds(const char *name, bool (*one_round)(int32_t number), int32_t seed, int32_t rounds)
{
	random_seed((uint32_t)seed);
	for (int32_t i = 0; i < rounds; i++) {
		if (!one_round(i)) {
			return 1;
		}
	}
	say(name);
	say_number(": rounds ", rounds);
	say("\n");
	return 0;
}

#if defined(__ARM_ARCH_PROFILE)

bool call_watched(any_fn *function, const uintptr_t arguments[6], uintptr_t *result);

bool call_checked(any_fn *function, const uintptr_t arguments[6], uintptr_t *result)
{
	return call_watched(function, arguments, result);
}

void say(const char *text)
{
	rnv_semihost_puts(text);
}

void say_number(const char *label, int32_t value)
{
	rnv_semihost_puts(label);
	rnv_semihost_put_i32(value);
}

static int32_t number(const char *text)
{
	int32_t value = 0;

	while (*text >= '0' && *text <= '9') {
		value = value * 10 + (*text++ - '0');
	}
	return value;
}

int main(void)
{
	char words[64];
	char *argv[4];

	if (rnv_semihost_args(words, sizeof(words), argv, 4) != 3) {
		quit("usage: SEED ROUNDS\n");
	}
	return test_main(number(argv[1]), number(argv[2]));
}

#else

bool call_checked(any_fn *function, const uintptr_t arguments[6], uintptr_t *result)
{
	typedef uintptr_t six_fn(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

	*result = ((six_fn *)function)(arguments[0], arguments[1], arguments[2], arguments[3],
				       arguments[4], arguments[5]);
	return true;
}

void say(const char *text)
{
	fputs(text, stdout);
}

void say_number(const char *label, int32_t value)
{
	printf("%s%d", label, (int)value);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		quit("usage: SEED ROUNDS\n");
	}
	return test_main((int32_t)strtol(argv[1], NULL, 10), (int32_t)strtol(argv[2], NULL, 10));
}

#endif
