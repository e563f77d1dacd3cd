/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* kernels_fc: random tests of the kernels of this folder's CMakeLists.txt; exit code 0 when all
 * hold. */

#include "harness.h"

#define CASES 300u

int main(void)
{
	test_fully_connected(CASES);
	test_add(CASES);
	test_pool(CASES);
	test_softmax(CASES);
	test_winograd(CASES);
	return report();
}
