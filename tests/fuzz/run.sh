#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs each fuzzer for a bounded time: run.sh BIN BUILD SECONDS. A failing input is left in BUILD.

set -eu
bin=$(cd "$1" && pwd)
mkdir -p "$2"
build=$(cd "$2" && pwd)
seconds=$3
here=$(cd "$(dirname "$0")" && pwd)

rm -rf "$build/corpus"
"$bin/python" "$here/make_corpus.py" "$build/corpus"

echo "fuzz: the .tflite reader and the compiler, $seconds s"
"$bin/python" "$here/fuzz_tflite.py" --seconds "$seconds" "$build"/corpus/tflite/*

if ! echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; return n > 9; }' |
	clang -x c -fsanitize=fuzzer,address -o "$build/probe" - 2>/dev/null; then
	echo "fuzz: clang with libFuzzer (clang, libclang-rt-dev) is missing, the package fuzzer is skipped"
	exit 0
fi
"$bin/cmake" -S "$here" -B "$build/native" -G Ninja -DCMAKE_C_COMPILER=clang \
	-DCMAKE_MAKE_PROGRAM="$bin/ninja" >"$build/build.log" 2>&1 &&
	"$bin/cmake" --build "$build/native" >>"$build/build.log" 2>&1 ||
	{ tail -n 40 "$build/build.log"; exit 1; }
echo "fuzz: the package verifier and the executor, $seconds s"
cd "$build"
"$build/native/fuzz_package" -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=2048 \
	-verbosity=0 -print_final_stats=1 "$build/corpus/package" >"$build/fuzz_package.log" 2>&1 ||
	{ tail -n 60 "$build/fuzz_package.log"; exit 1; }
grep -E 'number_of_executed_units|new_units_added' "$build/fuzz_package.log"
