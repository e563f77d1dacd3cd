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
"$bin/python" "$here/make_mgmt_corpus.py" "$build/corpus/mgmt"
"$bin/python" "$here/make_ipc_corpus.py" "$build/corpus/ipc"

echo "fuzz: the .tflite reader and the compiler, $seconds s"
"$bin/python" "$here/fuzz_tflite.py" --seconds "$seconds" "$build"/corpus/tflite/*

if ! echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; return n > 9; }' |
	clang -x c -fsanitize=fuzzer,address -o "$build/probe" - 2>/dev/null; then
	echo "fuzz: clang with libFuzzer (clang, libclang-rt-dev) is missing, the fuzzers of C code are skipped"
	exit 0
fi
"$bin/cmake" -S "$here" -B "$build/native" -G Ninja -DCMAKE_C_COMPILER=clang \
	-DCMAKE_MAKE_PROGRAM="$bin/ninja" -DPython3_EXECUTABLE="$bin/python" >"$build/build.log" 2>&1 &&
	"$bin/cmake" --build "$build/native" >>"$build/build.log" 2>&1 ||
	{ tail -n 40 "$build/build.log"; exit 1; }
cd "$build"

# fuzz NAME WHAT CORPUS OPTIONS...
fuzz() {
	name=$1 corpus=$3
	echo "fuzz: $2, $seconds s"
	shift 3
	"$build/native/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -verbosity=0 \
		-print_final_stats=1 "$@" "$build/corpus/$corpus" >"$build/fuzz_$name.log" 2>&1 ||
		{ tail -n 60 "$build/fuzz_$name.log"; exit 1; }
	grep -E 'number_of_executed_units|new_units_added' "$build/fuzz_$name.log"
}

fuzz package "the package verifier and the executor" package -max_len=16384
fuzz patch "the decoder of patches" patch -max_len=4096
fuzz frame "serial frames" mgmt/frame -max_len=4096
fuzz store "the registry" mgmt/store -max_len=2049
FUZZ_PACKAGE=$build/corpus/mgmt/package.rnv
export FUZZ_PACKAGE
fuzz ipc "a client, its service, and the memory that they share" ipc -max_len=4096
if [ -x "$build/native/fuzz_smp" ]; then
	fuzz smp "requests to the model server" mgmt/smp -max_len=4096
fi
