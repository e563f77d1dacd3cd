#!/bin/bash
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the power-cut sweep: run.sh BIN BUILD all|some (BIN has cmake, ninja). All of it
# takes some minutes; some is a sample of it under sanitizers, in seconds.

set -euo pipefail
bin=$(cd "$1" && pwd)
build=$2/$3
what=$3
here=$(cd "$(dirname "$0")" && pwd)

options=(--sample 80 --doubles 1)
sanitize=address,undefined
if [ "$what" = all ]; then
	options=()
	sanitize=
fi
mkdir -p "$build"
{
	"$bin/cmake" -S "$here" -B "$build" -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" \
		-DRNV_SANITIZE="$sanitize" &&
		"$bin/cmake" --build "$build" --target powercut
} >"$build/build.log" 2>&1 || { tail -n 40 "$build/build.log"; exit 1; }
if [ "$what" = all ]; then
	"$build/powercut" "${options[@]}"
else
	"$build/powercut" "${options[@]}" >"$build/table.txt" || { cat "$build/table.txt"; exit 1; }
	tail -n 1 "$build/table.txt"
fi
