# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Toolchain file: GCC for a bare-metal Cortex-M. Choose the core with -DRNV_CPU=NAME: m4, m7, m33,
# m33-nodsp (a Cortex-M33 with neither the DSP extension nor a floating-point unit) or m55.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RNV_CPU)

set(_rnv_flags_m4 "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
set(_rnv_flags_m7 "-mcpu=cortex-m7 -mfpu=fpv5-sp-d16 -mfloat-abi=hard")
set(_rnv_flags_m33 "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard")
set(_rnv_flags_m33-nodsp "-mcpu=cortex-m33+nodsp -mfloat-abi=soft")
set(_rnv_flags_m55 "-mcpu=cortex-m55 -mfpu=auto -mfloat-abi=hard")
if(NOT RNV_CPU OR NOT DEFINED _rnv_flags_${RNV_CPU})
  message(FATAL_ERROR "RNV_CPU is \"${RNV_CPU}\"; give -DRNV_CPU=m4, m7, m33, m33-nodsp or m55")
endif()
# Flags are set when a build folder is made and stay: another core would be ignored.
if(DEFINED RNV_CONFIGURED_CPU AND NOT RNV_CPU STREQUAL RNV_CONFIGURED_CPU)
  message(
    FATAL_ERROR
      "RNV_CPU is \"${RNV_CPU}\", and this build folder was made for ${RNV_CONFIGURED_CPU}: take another"
      " folder, or delete this one (or give -DRNV_CPU=${RNV_CONFIGURED_CPU} again)")
endif()
set(RNV_CONFIGURED_CPU ${RNV_CPU} CACHE INTERNAL "The core that the flags of this build are for")

set(CMAKE_ASM_FLAGS_INIT "${_rnv_flags_${RNV_CPU}} -mthumb")
set(CMAKE_C_FLAGS_INIT
    "${_rnv_flags_${RNV_CPU}} -mthumb -ffunction-sections -fdata-sections")
