# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Under QEMU: the second core's image into its place, and what it prints into remote.log of the
# build directory. Read before Zephyr, which adds its own options.

set(REMOTE_HEX ${CMAKE_CURRENT_BINARY_DIR}/../remote/zephyr/remote.hex
    CACHE FILEPATH "Image of the second core, or empty: none")
set(QEMU_EXTRA_FLAGS -serial file:remote.log) # the second UART
if(REMOTE_HEX)
  list(APPEND QEMU_EXTRA_FLAGS -device loader,file=${REMOTE_HEX})
endif()
