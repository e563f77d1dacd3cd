/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#define _GNU_SOURCE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ranvier/port.h"

#define CYCLES_PER_SECOND 100000000u

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

uint32_t rnv_critical_enter(void)
{
	if (pthread_mutex_lock(&lock) != 0) {
		rnv_panic("critical section entered");
	}
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
	if (pthread_mutex_unlock(&lock) != 0) {
		rnv_panic("critical section left by its owner");
	}
}

static struct timespec now(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) {
		rnv_panic("monotonic clock");
	}
	return time;
}

uint64_t rnv_now_us(void)
{
	struct timespec time = now();

	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000u;
}

uint32_t rnv_cycles(void)
{
	struct timespec time = now();

	return (uint32_t)((uint64_t)time.tv_sec * CYCLES_PER_SECOND +
			  (uint64_t)time.tv_nsec / (1000000000u / CYCLES_PER_SECOND));
}

uint32_t rnv_cycles_per_second(void)
{
	return CYCLES_PER_SECOND;
}

void rnv_panic(const char *what)
{
	(void)fprintf(stderr, "ranvier: broken invariant: %s\n", what);
	abort();
}
