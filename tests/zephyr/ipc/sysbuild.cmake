# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0

ExternalZephyrProject_Add(APPLICATION remote SOURCE_DIR ${APP_DIR}/remote BOARD mps2/an521/cpu0)
add_dependencies(${DEFAULT_IMAGE} remote)
