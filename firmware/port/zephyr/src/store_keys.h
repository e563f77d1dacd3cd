/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_STORE_KEYS_H_
#define RANVIER_PORT_ZEPHYR_STORE_KEYS_H_

/** @file @brief The keys that packages may be signed with. */

#include <stdint.h>

#include <ranvier/crypto.h>

/** Compiled in; NULL where there are none. */
extern const struct rnv_key *const rnv_runtime_keys;

/** Entries of @ref rnv_runtime_keys. */
extern const uint32_t rnv_runtime_key_count;

#endif /* RANVIER_PORT_ZEPHYR_STORE_KEYS_H_ */
