# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The frames as C: one picture of each class, in the order of the model's outputs.

file(GLOB pictures ${RANVIER}/models/digits/examples/*.png)
set(REMOTE_PICTURES ${pictures} CACHE STRING "8-bit grey PNGs, separated by semicolons")

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(script ${RANVIER}/samples/hello_inference/png_to_c.py)
set(includes)
set(rows)
set(count 0)
foreach(picture IN LISTS REMOTE_PICTURES)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/frame_${count}.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${Python3_EXECUTABLE} ${script} ${picture} ${header}
    DEPENDS ${script} ${picture}
    VERBATIM)
  target_sources(app PRIVATE ${header})
  string(APPEND includes
         "#define frame frame_${count}\n#include \"frame_${count}.h\"\n#undef frame\n")
  string(APPEND rows "\t{frame_${count}, sizeof(frame_${count})},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(CONFIGURE OUTPUT frames.c CONTENT [[
/* Made by frames.cmake from REMOTE_PICTURES. */

#include "remote.h"

@includes@
const struct remote_frame remote_frames[] = {
@rows@};

const uint32_t remote_frame_count = sizeof(remote_frames) / sizeof(remote_frames[0]);
]] @ONLY)
target_sources(app PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/frames.c)
target_include_directories(app PRIVATE src ${CMAKE_CURRENT_BINARY_DIR})
