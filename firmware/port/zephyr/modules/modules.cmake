# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Zephyr includes this file of a module before it looks the board up, in an application's build and in
# sysbuild's. An application or user with board aliases of their own keeps them.

zephyr_get(ZEPHYR_BOARD_ALIASES)
if(NOT DEFINED ZEPHYR_BOARD_ALIASES)
  set(ZEPHYR_BOARD_ALIASES ${CMAKE_CURRENT_LIST_DIR}/board_aliases.cmake)
endif()
