# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The one list of the core's sources, included by every build.
#
# Sets RNV_CORE_SOURCES and RNV_CORE_INCLUDE_DIRS (public), RNV_CORE_PRIVATE_INCLUDE_DIRS, and
# provides
#
#   rnv_core_kernels(OUT_SOURCES TABLE VARIANT OPS...)
#
# which writes the kernel table to the file TABLE for the ops named (as `ranvier ops` prints them;
# none: all of ops.txt) and returns the sources to compile, TABLE included. Kernels that are not in
# the table are not linked. VARIANT names a folder of src/kernels whose files replace those of the
# same name in s8/ ("s8": none): the same kernels for an instruction set.

set(RNV_CORE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(RNV_CORE_INCLUDE_DIRS ${RNV_CORE_DIR}/include)
set(RNV_CORE_PRIVATE_INCLUDE_DIRS ${RNV_CORE_DIR}/src)

set(RNV_CORE_SOURCES
  ${RNV_CORE_DIR}/src/base/crc32.c
  ${RNV_CORE_DIR}/src/ipc/client.c
  ${RNV_CORE_DIR}/src/ipc/park.c
  ${RNV_CORE_DIR}/src/ipc/park_wait.c
  ${RNV_CORE_DIR}/src/ipc/parked_flash.c
  ${RNV_CORE_DIR}/src/ipc/region.c
  ${RNV_CORE_DIR}/src/ipc/remote_image.c
  ${RNV_CORE_DIR}/src/ipc/ring.c
  ${RNV_CORE_DIR}/src/mem/arena.c
  ${RNV_CORE_DIR}/src/mem/pingpong.c
  ${RNV_CORE_DIR}/src/mem/plan.c
  ${RNV_CORE_DIR}/src/prof/dump.c
  ${RNV_CORE_DIR}/src/prof/prof.c
  ${RNV_CORE_DIR}/src/prof/stat.c
  ${RNV_CORE_DIR}/src/prof/trace.c
  ${RNV_CORE_DIR}/src/model/package.c
  ${RNV_CORE_DIR}/src/model/sections.c
  ${RNV_CORE_DIR}/src/model/tensors.c
  ${RNV_CORE_DIR}/src/model/state.c
  ${RNV_CORE_DIR}/src/model/ops.c
  ${RNV_CORE_DIR}/src/model/entry.c
  ${RNV_CORE_DIR}/src/model/kernels.c
  ${RNV_CORE_DIR}/src/model/liveness.c
  ${RNV_CORE_DIR}/src/model/rows.c
  ${RNV_CORE_DIR}/src/model/golden.c
  ${RNV_CORE_DIR}/src/model/query.c
  ${RNV_CORE_DIR}/src/model/verify.c
  ${RNV_CORE_DIR}/src/model/what.c
  ${RNV_CORE_DIR}/src/dsp/matmul.c
  ${RNV_CORE_DIR}/src/dsp/portable.c
  ${RNV_CORE_DIR}/src/dsp/rfft.c
  ${RNV_CORE_DIR}/src/dsp/sine.c
  ${RNV_CORE_DIR}/src/kernels/kernel.c
  ${RNV_CORE_DIR}/src/exec/exec.c
  ${RNV_CORE_DIR}/src/exec/golden.c
  ${RNV_CORE_DIR}/src/exec/selftest.c
  ${RNV_CORE_DIR}/src/exec/state.c
  ${RNV_CORE_DIR}/src/sched/accelerate.c
  ${RNV_CORE_DIR}/src/sched/admission.c
  ${RNV_CORE_DIR}/src/sched/complete.c
  ${RNV_CORE_DIR}/src/sched/cooperative.c
  ${RNV_CORE_DIR}/src/sched/jobs.c
  ${RNV_CORE_DIR}/src/sched/lanes.c
  ${RNV_CORE_DIR}/src/sched/models.c
  ${RNV_CORE_DIR}/src/sched/npu.c
  ${RNV_CORE_DIR}/src/sched/open.c
  ${RNV_CORE_DIR}/src/sched/queue.c
  ${RNV_CORE_DIR}/src/sched/run.c
  ${RNV_CORE_DIR}/src/sched/submit.c
  ${RNV_CORE_DIR}/src/sched/threads.c
  ${RNV_CORE_DIR}/src/sched/trace.c
  ${RNV_CORE_DIR}/src/service/request.c
  ${RNV_CORE_DIR}/src/service/service.c
  ${RNV_CORE_DIR}/src/ota/activate.c
  ${RNV_CORE_DIR}/src/ota/ota.c
  ${RNV_CORE_DIR}/src/ota/patch.c
  ${RNV_CORE_DIR}/src/ota/receive.c
  ${RNV_CORE_DIR}/src/ota/unpack.c
  ${RNV_CORE_DIR}/src/store/access.c
  ${RNV_CORE_DIR}/src/store/codec.c
  ${RNV_CORE_DIR}/src/store/erase.c
  ${RNV_CORE_DIR}/src/store/fill.c
  ${RNV_CORE_DIR}/src/store/info.c
  ${RNV_CORE_DIR}/src/store/layout.c
  ${RNV_CORE_DIR}/src/store/mount.c
  ${RNV_CORE_DIR}/src/store/read.c
  ${RNV_CORE_DIR}/src/store/registry.c
  ${RNV_CORE_DIR}/src/store/trial.c
  ${RNV_CORE_DIR}/src/store/verify.c
)

function(rnv_core_kernels out_sources table variant)
  set(kernels ${RNV_CORE_DIR}/src/kernels)
  if(NOT variant MATCHES "^(s8|mve|host)$")
    message(
      FATAL_ERROR
        "Ranvier: RANVIER_KERNELS is \"${variant}\"; there are s8 (portable), mve and host. "
        "dsp and base are packings of models: `ranvier compile --isa`, RANVIER_ISA in CMake; "
        "their kernels are linked with any RANVIER_KERNELS.")
  endif()
  # Helpers that several kernels share; the linker drops what no linked kernel calls.
  set(watch CONFIGURE_DEPENDS)
  if(CMAKE_SCRIPT_MODE_FILE) # a script that only writes the table
    set(watch)
  endif()
  file(GLOB helpers ${watch} ${kernels}/s8/*.c
       ${kernels}/planes/*.c ${kernels}/dsp/*.c ${kernels}/dsp/*.S
       ${kernels}/base/*.c ${kernels}/base/*.S ${kernels}/f32/*.c ${kernels}/vision/*.c
       ${kernels}/${variant}/*.c ${kernels}/${variant}/*.S)
  set(wanted ${ARGN})
  set(sources)
  set(all_sources)
  set(known)
  set(externs "")
  set(rows "")
  set(index "")
  set(count 0)
  file(STRINGS ${RNV_CORE_DIR}/ops.txt lines REGEX "^[0-9]")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "[ \t]+" ";" fields "${line}")
    list(GET fields 0 code)
    list(GET fields 1 name)
    list(GET fields 2 source)
    list(GET fields 3 symbol)
    list(APPEND known ${name})
    string(REGEX REPLACE "^s8/" "${variant}/" special ${source})
    list(APPEND all_sources ${kernels}/${source} ${kernels}/${special})
    if(EXISTS ${kernels}/${special})
      set(source ${special})
    endif()
    if(NOT wanted OR name IN_LIST wanted)
      list(APPEND sources ${kernels}/${source})
      string(APPEND externs "extern const struct rnv_kernel ${symbol};\n")
      string(APPEND rows "\t{&${symbol}, \"${name}\", ${code}},\n")
      math(EXPR count "${count} + 1")
      string(APPEND index "\t[${code}] = ${count},\n")
    endif()
  endforeach()
  foreach(name IN LISTS wanted)
    if(NOT name IN_LIST known)
      message(FATAL_ERROR "Ranvier: no op is called ${name}; ops.txt lists them")
    endif()
  endforeach()
  if(NOT CMAKE_SCRIPT_MODE_FILE) # float32 rounds alike everywhere: no fused multiply-add
    file(GLOB floats ${kernels}/f32/*.c)
    set_source_files_properties(${floats} PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
  endif()
  list(REMOVE_DUPLICATES helpers)
  list(REMOVE_ITEM helpers ${all_sources})
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT
"/* Generated from ops.txt: the kernels of this build. */

#include \"kernels/kernel.h\"

@externs@
const uint16_t rnv_kernel_count = @count@;

const struct rnv_kernel_row rnv_kernel_rows[] = {
@rows@};

const uint8_t rnv_kernel_index[] = {
@index@};
")
  set(${out_sources} ${sources} ${helpers} ${table} PARENT_SCOPE)
endfunction()
