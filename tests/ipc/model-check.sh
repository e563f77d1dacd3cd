#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Checks the models of what two cores share: model-check.sh BUILD. Each broken variant must be found.

set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)

if ! command -v spin >/dev/null 2>&1; then
	echo "model-check: spin is missing (Debian: apt-get install spin), the models are not checked"
	exit 0
fi
mkdir -p "$build"
cd "$build"

# verify MODEL MACRO CLAIM: MACRO "": none; CLAIM "": what is asserted. The result is in pan.log.
verify() {
	rm -f pan pan.c ./*.trail
	spin ${2:+-D"$2"} -a "$here/$1.pml" >spin.log 2>&1 || { cat spin.log; exit 1; }
	if [ -n "$3" ]; then
		${CC:-cc} -O2 -w -DNFAIR=3 -o pan pan.c
		./pan -m4000000 -a -f -N "$3" >pan.log 2>&1 || { cat pan.log; exit 1; }
	else
		${CC:-cc} -O2 -w -DSAFETY -DNOCLAIM -DCOLLAPSE -o pan pan.c
		./pan -m4000000 >pan.log 2>&1 || { cat pan.log; exit 1; }
	fi
	if grep -q 'max search depth too small\|out of memory' pan.log; then
		cat pan.log
		exit 1
	fi
}

errors() {
	sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log
}

# holds MODEL [CLAIM [MACRO]]
holds() {
	verify "$1" "${3:-}" "${2:-}"
	if [ "$(errors)" != 0 ]; then
		cat pan.log
		spin ${3:+-D"$3"} -t -p -g -k "$1.pml.trail" "$here/$1.pml" | tail -n 80
		echo "model-check: $1${2:+, $2}: a promise is broken, see above"
		exit 1
	fi
	echo "model-check: $1${2:+, $2}${3:+, $3} holds:" \
		"$(sed -n 's/ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log) states," \
		"$(sed -n 's/ *\([0-9.e+]*\) transitions.*/\1/p' pan.log) transitions"
}

# finds MODEL MACRO [CLAIM]
finds() {
	verify "$1" "$2" "${3:-}"
	if [ "$(errors)" = 0 ]; then
		echo "model-check: $1: $2 is not found"
		exit 1
	fi
	echo "model-check: $1: $2 is found"
}

for size in 1 2 4; do
	holds ring "" ENTRIES=$size
done
for broken in OVERFILLS RELAXED_PUSH INDEX_FIRST LOADS_EARLY RELEASES_EARLY ENTRIES=3; do
	finds ring $broken
done
holds bond
holds bond "" TWO_RESETS
for broken in INDICES_LAST SAME_EPOCH ANY_ACCEPT NEVER_AGAIN EARLY_ACCEPT KEEPS_INDICES \
	LOADS_TWICE; do
	finds bond $broken
done
holds park
holds park client_goes_on
holds park server_goes_on
for broken in LIMIT_TOO_SHORT BEGINS_LATE NO_HOLD NO_EPOCH PARKS_AGAIN RESTARTS_TOO_SOON \
	STARTS_IN_OPERATION ENDS_EARLY ANSWERS_FIRST; do
	finds park $broken
done
finds park NO_LIMIT client_goes_on
finds park WAITS_FOR_EVER server_goes_on
