# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Toolchain file: GCC for a bare-metal Cortex-M. Choose the core with -DRNV_CPU=m4|m33|m55.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RNV_CPU)

if(RNV_CPU STREQUAL "m4")
  set(_rnv_cpu_flags "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16")
elseif(RNV_CPU STREQUAL "m33")
  set(_rnv_cpu_flags "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16")
elseif(RNV_CPU STREQUAL "m55")
  set(_rnv_cpu_flags "-mcpu=cortex-m55 -mfpu=auto")
else()
  message(FATAL_ERROR "RNV_CPU is \"${RNV_CPU}\"; give -DRNV_CPU=m4, m33 or m55")
endif()

set(CMAKE_C_FLAGS_INIT
    "${_rnv_cpu_flags} -mthumb -mfloat-abi=hard -ffunction-sections -fdata-sections")
