/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Without RANVIER_KEYS. */

#include <stddef.h>

#include "store_keys.h"

const struct rnv_key *const rnv_runtime_keys = NULL;
const uint32_t rnv_runtime_key_count = 0;
