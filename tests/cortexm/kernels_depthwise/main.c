/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "exercise.h"
#include "support.h"

int test_main(int32_t seed, int32_t rounds)
{
	random_seed((uint32_t)seed);
	test_tiles(rounds);
	test_dsp(rounds);
	test_planes(rounds);
	say_number("rounds ", rounds);
	say("\n");
	return 0;
}
