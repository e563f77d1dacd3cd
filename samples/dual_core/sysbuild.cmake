# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0

ExternalZephyrProject_Add(
  APPLICATION remote
  SOURCE_DIR ${APP_DIR}/../../firmware/remote
  BOARD ${SB_CONFIG_REMOTE_BOARD}
)
add_dependencies(${DEFAULT_IMAGE} remote)
