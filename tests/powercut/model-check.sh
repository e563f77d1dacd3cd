#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Checks the model of the store's protocol: model-check.sh BUILD. Each broken variant must be found.
# Some minutes; installs spin where it is missing and that is permitted.

set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)

sh "$here/../../scripts/packages.sh" model-check || test $? = 3
if ! command -v spin >/dev/null 2>&1; then
	echo "model-check: spin is missing, the model is not checked; as root: apt-get install spin" >&2
	exit 1
fi
mkdir -p "$build"
cd "$build"

# check [MACRO]: prints what spin says of errors and states.
check() {
	spin ${1:+-D"$1"} -a "$here/store.pml" >spin.log 2>&1 || { cat spin.log; exit 1; }
	${CC:-cc} -O2 -w -DSAFETY -DNOFAIR -o pan pan.c
	./pan -m4000000 >pan.log 2>&1 || { cat pan.log; exit 1; }
	if grep -q 'max search depth too small\|out of memory' pan.log; then
		cat pan.log
		exit 1
	fi
}

errors() {
	sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log
}

check ""
if [ "$(errors)" != 0 ]; then
	cat pan.log
	spin -t -p -g "$here/store.pml" | tail -n 80
	echo "model-check: the protocol breaks a promise, see above"
	exit 1
fi
echo "model-check: the protocol holds: $(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)" \
	"states, $(sed -n 's/ *\([0-9.e+]*\) transitions.*/\1/p' pan.log) transitions"
for broken in APPENDS_TO_OLD_LOG INFERS_ERASED COUNTS_BARE_HEADERS CLEARS_MARK_LATER \
	COUNTS_AFTER_LOAD READS_ONCE; do
	check $broken
	if [ "$(errors)" = 0 ]; then
		echo "model-check: $broken is not found"
		exit 1
	fi
	echo "model-check: $broken is found"
done
