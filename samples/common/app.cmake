# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# What the samples with jobs have in common: a Zephyr application where west or twister name a board,
# else a program for this host. Include it before project(), and after it call
#
#   app_program(ARENA)
#
# which makes the target ${PROGRAM}. ARENA: bytes of each lane's arena on this host; Zephyr's are
# Kconfig's.

get_filename_component(RANVIER ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)

if(DEFINED BOARD OR DEFINED ENV{BOARD} OR DEFINED SYSBUILD)
  list(APPEND ZEPHYR_EXTRA_MODULES ${RANVIER})
  find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})
endif()

macro(app_program arena)
  set(COMMON ${RANVIER}/samples/common)
  if(Zephyr_FOUND)
    set(PROGRAM app)
    target_sources(app PRIVATE ${COMMON}/app_zephyr.c)
  else()
    set(PROGRAM ${PROJECT_NAME})
    if(NOT CMAKE_BUILD_TYPE)
      set(CMAKE_BUILD_TYPE MinSizeRel)
    endif()
    set(RANVIER_KERNELS "host" CACHE STRING "Folder of kernels")
    include(${RANVIER}/firmware/cmake/ranvier.cmake)
    add_subdirectory(${RANVIER}/firmware ranvier)
    add_subdirectory(${RANVIER}/firmware/port/posix posix)
    add_executable(${PROGRAM} ${COMMON}/app_posix.c)
    target_compile_options(${PROGRAM} PRIVATE -Wall -Wextra)
    target_compile_definitions(${PROGRAM} PRIVATE APP_ARENA_BYTES=${arena}
                                                  _POSIX_C_SOURCE=200809L)
    target_link_libraries(${PROGRAM} PRIVATE rnv_posix_jobs)
  endif()
  target_sources(${PROGRAM} PRIVATE ${COMMON}/app.c ${COMMON}/latency.c)
  target_include_directories(${PROGRAM} PRIVATE ${COMMON})
endmacro()
