# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The sample without Zephyr: for this host, or a bare-metal Cortex-M.

set(PROGRAM hello)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE MinSizeRel)
endif()

# The core with the ops of this model.
include(${RANVIER}/firmware/cmake/ranvier.cmake)
ranvier_model_ops(RANVIER_OPS ${MODEL}/digits.tflite)
add_subdirectory(${RANVIER}/firmware ranvier)

add_executable(hello)
target_compile_options(hello PRIVATE -Wall -Wextra)
target_link_libraries(hello PRIVATE ranvier_core)

if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  add_subdirectory(${RANVIER}/firmware/port/baremetal baremetal)
  target_sources(hello PRIVATE console_semihosting.c)
  target_link_libraries(hello PRIVATE rnv_baremetal)
  set_target_properties(hello PROPERTIES SUFFIX .elf)
else()
  target_sources(hello PRIVATE console_stdio.c)
endif()
