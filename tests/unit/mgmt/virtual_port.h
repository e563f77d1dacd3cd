/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_TESTS_VIRTUAL_PORT_H_
#define RNV_TESTS_VIRTUAL_PORT_H_

/* One thread, and a clock that a test moves. */

static uint64_t now_us = 1000;
static uint32_t depth;

uint32_t rnv_critical_enter(void)
{
	return depth++;
}

void rnv_critical_exit(uint32_t key)
{
	depth--;
	assert_int_equal(depth, key);
}

uint64_t rnv_now_us(void)
{
	return now_us;
}

#endif /* RNV_TESTS_VIRTUAL_PORT_H_ */
