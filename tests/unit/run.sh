#!/bin/bash
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the C unit tests with gcc and with clang: run.sh BIN BUILD (BIN has cmake, ninja).

set -euo pipefail
bin=$(cd "$1" && pwd)
build=$2
here=$(cd "$(dirname "$0")" && pwd)

if ! echo '#include <cmocka.h>' | cc -x c -include stdarg.h -include stddef.h -include stdint.h \
	-include setjmp.h -fsyntax-only - 2>/dev/null; then
	echo "unit: cmocka (libcmocka-dev) is missing, the C unit tests are skipped"
	exit 0
fi
for compiler in gcc clang; do
	command -v "$compiler" >/dev/null 2>&1 || { echo "unit: no $compiler, skipped"; continue; }
	"$bin/cmake" -S "$here" -B "$build/$compiler" -G Ninja -DCMAKE_C_COMPILER="$compiler" \
		-DCMAKE_MAKE_PROGRAM="$bin/ninja" >"$build-$compiler.log" 2>&1 ||
		{ cat "$build-$compiler.log"; exit 1; }
	"$bin/cmake" --build "$build/$compiler" >>"$build-$compiler.log" 2>&1 ||
		{ tail -n 40 "$build-$compiler.log"; exit 1; }
	if ! "$bin/ctest" --test-dir "$build/$compiler" --output-on-failure --no-tests=error \
		>"$build-$compiler-tests.log"; then
		cat "$build-$compiler-tests.log"
		exit 1
	fi
	echo "unit ($compiler): $(grep 'tests passed' "$build-$compiler-tests.log")"
done
