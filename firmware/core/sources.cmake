# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The one list of the core's sources, included by every build.
#
# Sets RNV_CORE_SOURCES and RNV_CORE_INCLUDE_DIRS (public), RNV_CORE_PRIVATE_INCLUDE_DIRS, and
# provides
#
#   rnv_core_kernels(OUT_SOURCES TABLE OPS...)
#
# which writes the kernel table to the file TABLE for the ops named (as `ranvier ops` prints them;
# none: all of ops.txt) and returns the sources to compile, TABLE included. Kernels that are not in
# the table are not linked.

set(RNV_CORE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(RNV_CORE_INCLUDE_DIRS ${RNV_CORE_DIR}/include)
set(RNV_CORE_PRIVATE_INCLUDE_DIRS ${RNV_CORE_DIR}/src)

set(RNV_CORE_SOURCES
  ${RNV_CORE_DIR}/src/base/crc32.c
  ${RNV_CORE_DIR}/src/mem/arena.c
  ${RNV_CORE_DIR}/src/mem/pingpong.c
  ${RNV_CORE_DIR}/src/mem/plan.c
  ${RNV_CORE_DIR}/src/model/package.c
  ${RNV_CORE_DIR}/src/model/sections.c
  ${RNV_CORE_DIR}/src/model/tensors.c
  ${RNV_CORE_DIR}/src/model/ops.c
  ${RNV_CORE_DIR}/src/model/entry.c
  ${RNV_CORE_DIR}/src/model/liveness.c
  ${RNV_CORE_DIR}/src/model/steps.c
  ${RNV_CORE_DIR}/src/model/golden.c
  ${RNV_CORE_DIR}/src/model/query.c
  ${RNV_CORE_DIR}/src/model/what.c
  ${RNV_CORE_DIR}/src/kernels/kernel.c
  ${RNV_CORE_DIR}/src/exec/exec.c
  ${RNV_CORE_DIR}/src/exec/selftest.c
)

# Helpers that several kernels share; the linker drops what no linked kernel calls.
file(GLOB RNV_KERNEL_HELPERS CONFIGURE_DEPENDS ${RNV_CORE_DIR}/src/kernels/s8/*.c)

function(rnv_core_kernels out_sources table)
  set(wanted ${ARGN})
  set(sources)
  set(all_sources)
  set(known)
  set(externs "")
  set(rows "")
  set(names "")
  set(limit 1)
  file(STRINGS ${RNV_CORE_DIR}/ops.txt lines REGEX "^[0-9]")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "[ \t]+" ";" fields "${line}")
    list(GET fields 0 code)
    list(GET fields 1 name)
    list(GET fields 2 source)
    list(GET fields 3 symbol)
    list(APPEND known ${name})
    list(APPEND all_sources ${RNV_CORE_DIR}/src/kernels/${source})
    if(NOT wanted OR name IN_LIST wanted)
      list(APPEND sources ${RNV_CORE_DIR}/src/kernels/${source})
      string(APPEND externs "extern const struct rnv_kernel ${symbol};\n")
      string(APPEND rows "\t[${code}] = &${symbol},\n")
      string(APPEND names "\t[${code}] = \"${name}\",\n")
      math(EXPR limit "${code} + 1")
    endif()
  endforeach()
  foreach(name IN LISTS wanted)
    if(NOT name IN_LIST known)
      message(FATAL_ERROR "Ranvier: no op is called ${name}; ops.txt lists them")
    endif()
  endforeach()
  set(helpers ${RNV_KERNEL_HELPERS})
  list(REMOVE_ITEM helpers ${all_sources})
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT
"/* Generated from ops.txt: the kernels of this build. */

#include \"kernels/kernel.h\"

@externs@
const uint16_t rnv_kernel_limit = @limit@;

const struct rnv_kernel *const rnv_kernel_table[@limit@] = {
@rows@};

const char *const rnv_kernel_names[@limit@] = {
@names@};
")
  set(${out_sources} ${sources} ${helpers} ${table} PARENT_SCOPE)
endfunction()
