/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A client that is not parked: the server's request finds no answer, and nothing is written. */

#include <zephyr/sys/util.h>

#include <ranvier/zephyr/client.h>

#include "client_park.h"

void rnv_zephyr_client_park(void *region, uint32_t token)
{
	ARG_UNUSED(region);
	ARG_UNUSED(token);
}

void rnv_zephyr_client_parks(uint32_t *parks, uint32_t *left)
{
	*parks = 0;
	*left = 0;
}
