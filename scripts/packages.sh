#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that a goal needs where they are missing.
#
#   scripts/packages.sh demo    a C compiler and venv; Mbed TLS for the simulated device
#   scripts/packages.sh test    also the cross compiler, the emulator, clang and cmocka; what Zephyr's
#                               build needs beside, where there is a workspace
#   scripts/packages.sh docs    doxygen, for the documentation site
#   scripts/packages.sh model-check  spin, for the model of the store's protocol
#
# Exit code 0: all there. 1: something is missing without which nothing works. 3: something is missing
# that only some tests, the simulated device or the site need; they are skipped. One line says what is missing.

set -eu
goal=${1:-demo}

have_header() {
	for dir in /usr/include /usr/local/include; do
		[ -e "$dir/$1" ] && return 0
	done
	return 1
}

have_fuzzer() {
	command -v clang >/dev/null 2>&1 || return 1
	echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; return n > 9; }' |
		clang -x c -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null
}

# The packages that are missing for the goal, one a word.
missing() {
	command -v cc >/dev/null 2>&1 && have_header stdlib.h || echo gcc libc6-dev
	python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || echo python3-venv
	if [ "$goal" = docs ]; then
		command -v doxygen >/dev/null 2>&1 || echo doxygen
		return
	fi
	if [ "$goal" = model-check ]; then
		command -v spin >/dev/null 2>&1 || echo spin
		return
	fi
	have_header psa/crypto.h || echo libmbedtls-dev
	[ "$goal" = demo ] && return
	command -v arm-none-eabi-gcc >/dev/null 2>&1 || echo gcc-arm-none-eabi
	[ -e /usr/lib/arm-none-eabi/newlib/nano.specs ] || [ -e /usr/arm-none-eabi/lib/nano.specs ] ||
		[ "$(arm-none-eabi-gcc -print-file-name=nano.specs 2>/dev/null || echo nano.specs)" != nano.specs ] ||
		echo libnewlib-arm-none-eabi
	command -v qemu-system-arm >/dev/null 2>&1 || echo qemu-system-arm
	have_header cmocka.h || echo libcmocka-dev
	have_fuzzer || echo clang "$(runtime_package)"
	[ -f "${ZEPHYR_BASE:-$HOME/zephyrproject/zephyr}/scripts/twister" ] || return 0
	command -v dtc >/dev/null 2>&1 || echo device-tree-compiler
	command -v gperf >/dev/null 2>&1 || echo gperf
}

# The package with clang's sanitizer and fuzzer runtime is named for clang's version.
runtime_package() {
	version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
	echo "libclang-rt-${version:-14}-dev"
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

can_install() {
	command -v apt-get >/dev/null 2>&1 || return 1
	[ "$(id -u)" = 0 ] || sudo -n true >/dev/null 2>&1
}

[ -z "$(missing)" ] && exit 0
if can_install; then
	log=$(mktemp)
	echo "installing: $(missing | tr '\n' ' ')"
	as_root apt-get update >"$log" 2>&1 || true
	packages=$(missing | tr '\n' ' ')
	# shellcheck disable=SC2086 # a list of words
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
		$packages >>"$log" 2>&1 || tail -n 3 "$log"
	rm -f "$log"
fi
left=$(missing | tr '\n' ' ')
[ -z "$left" ] && exit 0
case " $left" in
*" gcc "* | *" python3-venv "*)
	echo "ranvier: missing Debian packages; as root: apt-get update && apt-get install ${left% }" >&2
	exit 1
	;;
esac
[ "$goal" = docs ] || skipped="; what needs them is skipped"
echo "ranvier: not installed: ${left% }${skipped:-}" >&2
exit 3
