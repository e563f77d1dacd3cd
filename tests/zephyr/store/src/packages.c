/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "packages.h"

static const uint8_t first[] = {
#include "first.inc"
};

static const uint8_t second[] = {
#include "second.inc"
};

static const uint8_t not_signed[] = {
#include "unsigned.inc"
};

const struct package packages[] = {
	[PACKAGE_FIRST] = {first, sizeof(first)},
	[PACKAGE_SECOND] = {second, sizeof(second)},
	[PACKAGE_UNSIGNED] = {not_signed, sizeof(not_signed)},
};
