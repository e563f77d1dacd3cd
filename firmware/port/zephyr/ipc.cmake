# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The second core: its service, its start, its parks, and the guard against faults.

zephyr_library_sources_ifdef(CONFIG_RANVIER_SERVICE src/service.c)
zephyr_library_sources_ifdef(CONFIG_RANVIER_DOORBELL_IPM src/doorbell_ipm.c)
zephyr_library_sources_ifdef(CONFIG_RANVIER_DOORBELL_MBOX src/doorbell_mbox.c)
zephyr_library_sources_ifdef(CONFIG_RANVIER_PARK src/park.c)
zephyr_library_sources_ifdef(CONFIG_RANVIER_FAULT_GUARD src/fault.c)
zephyr_library_sources_ifdef(CONFIG_RANVIER_FAULT_HANDLER src/fault_handler.c)
if(CONFIG_RANVIER_SECOND_CORE)
  zephyr_library_sources(src/second_core.c)
  zephyr_library_sources_ifdef(CONFIG_ARM_MPU src/second_core_guard.c)
  zephyr_library_sources_ifdef(CONFIG_BOARD_MPS2 src/second_core_sse200.c)
  zephyr_library_sources_ifdef(CONFIG_SOC_FAMILY_MCXN src/second_core_mcxn.c)
  if(CONFIG_RANVIER_SECOND_CORE_GUARDED_READ AND NOT CONFIG_RANVIER_STORE)
    zephyr_library_sources(src/flash_read_guarded.c)
  endif()
endif()
