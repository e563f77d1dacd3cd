/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The keys of RANVIER_KEYS. */

#include "store_keys.h"

#include RANVIER_KEYS_HEADER

const struct rnv_key *const rnv_runtime_keys = ranvier_keys;
const uint32_t rnv_runtime_key_count = RANVIER_KEY_COUNT;
