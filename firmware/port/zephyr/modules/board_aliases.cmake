# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Boards with several CPUs: the one that a plain `west build -b <board>` means.

# An alias is put before the qualifiers that are given, so it is only for a name without them.
if(NOT BOARD_QUALIFIERS)
  set(frdm_mcxn947_BOARD_ALIAS frdm_mcxn947/mcxn947/cpu0)
endif()
