/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SIM_KEYS_H_
#define SIM_KEYS_H_

/* Public keys from a file, in the place of those that a device has compiled in. */

#include <ranvier/crypto.h>

#define SIM_KEYS 16

/* Read all public keys of a PEM file. Returns how many; -1: something is wrong, and was said. */
int sim_keys_read(struct rnv_key keys[SIM_KEYS], const struct rnv_crypto *crypto, const char *path);

#endif /* SIM_KEYS_H_ */
