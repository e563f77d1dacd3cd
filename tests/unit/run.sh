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
if ! echo '#include <psa/crypto.h>' | cc -x c -fsyntax-only - 2>/dev/null; then
	echo "unit: Mbed TLS (libmbedtls-dev) is missing, the tests of signatures are skipped"
fi

# run NAME COMPILER OPTIONS...
run() {
	local name=$1 compiler=$2
	shift 2
	command -v "$compiler" >/dev/null 2>&1 || { echo "unit: no $compiler, skipped"; return; }
	"$bin/cmake" -S "$here" -B "$build/$name" -G Ninja -DCMAKE_C_COMPILER="$compiler" \
		-DCMAKE_MAKE_PROGRAM="$bin/ninja" -DPython3_EXECUTABLE="$bin/python" "$@" >"$build-$name.log" 2>&1 ||
		{ cat "$build-$name.log"; exit 1; }
	"$bin/cmake" --build "$build/$name" >>"$build-$name.log" 2>&1 ||
		{ tail -n 40 "$build-$name.log"; exit 1; }
	if ! "$bin/ctest" --test-dir "$build/$name" --output-on-failure --no-tests=error \
		>"$build-$name-tests.log"; then
		cat "$build-$name-tests.log"
		exit 1
	fi
	echo "unit ($name): $(grep 'tests passed' "$build-$name-tests.log")"
}

run gcc gcc
run clang clang
# Threads against each other.
run tsan gcc -DRNV_SANITIZE=thread "-DRNV_FOLDERS=posix;ipc"
