# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The model, and the frames that PROGRAM looks at: a file on this host, a camera where the board has
# one (CONFIG_VIDEO), else pictures that are linked in (also with CAMERA_LINKED).

set(SHAPES ${RANVIER}/models/shapes)
set(DETECTOR ${RANVIER}/samples/vision)

set(CAMERA_PICTURES ${SHAPES}/examples/camera0.png ${SHAPES}/examples/camera1.png
    CACHE STRING "PNG pictures of 160x120 pixels to link in on a board, separated by semicolons")

if(NOT Zephyr_FOUND AND NOT CAMERA_LINKED)
  target_sources(${PROGRAM} PRIVATE ${DETECTOR}/src/camera_file.c)
elseif(CONFIG_VIDEO)
  target_sources(${PROGRAM} PRIVATE ${DETECTOR}/src/camera_video.c)
else()
  _ranvier_find_command()
  add_custom_command(
    OUTPUT frames.h
    COMMAND ${RANVIER_COMMAND} frames ${CAMERA_PICTURES} --format rgb565 --size 120 160
            --c-array frames.h --quiet
    DEPENDS ${CAMERA_PICTURES}
    VERBATIM)
  target_sources(${PROGRAM} PRIVATE ${DETECTOR}/src/camera_frames.c
                                    ${CMAKE_CURRENT_BINARY_DIR}/frames.h)
  target_include_directories(${PROGRAM} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endif()
target_include_directories(${PROGRAM} PRIVATE ${DETECTOR}/src)
ranvier_add_model(
  ${PROGRAM} ${SHAPES}/shapes.tflite
  LABELS ${SHAPES}/labels.txt
  PIPELINE ${DETECTOR}/shapes.toml)
