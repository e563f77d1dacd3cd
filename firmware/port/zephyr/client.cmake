# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Ranvier in the image of a second core: the client, and ranvier_remote_image().

set(RANVIER_FIRMWARE ${CMAKE_CURRENT_LIST_DIR}/../..)
include(${RANVIER_FIRMWARE}/core/sources.cmake)
set(ipc ${RNV_CORE_DIR}/src/ipc)

zephyr_include_directories(${RNV_CORE_INCLUDE_DIRS} include)
zephyr_library_named(ranvier_client)
zephyr_library_include_directories(${RNV_CORE_PRIVATE_INCLUDE_DIRS})
zephyr_library_sources(${RNV_CORE_DIR}/src/base/crc32.c ${ipc}/client.c ${ipc}/region.c
                       ${ipc}/ring.c src/client.c)
zephyr_library_sources_ifdef(CONFIG_RANVIER_DOORBELL_IPM src/doorbell_ipm.c)
zephyr_library_sources_ifdef(CONFIG_RANVIER_DOORBELL_MBOX src/doorbell_mbox.c)
if(CONFIG_RANVIER_CLIENT_PARK)
  zephyr_library_sources(${ipc}/park_wait.c src/client_park.c)
  zephyr_code_relocate(FILES ${ipc}/park_wait.c LOCATION RAM)
else()
  zephyr_library_sources(src/client_park_none.c)
endif()

# The image: zephyr.hex of the build with the header in front, as remote.hex.
if(NOT CONFIG_ROM_START_OFFSET EQUAL 0x400 OR NOT CONFIG_BUILD_OUTPUT_HEX)
  message(FATAL_ERROR "Ranvier: the image of a second core needs CONFIG_ROM_START_OFFSET=0x400 and "
                      "CONFIG_BUILD_OUTPUT_HEX=y")
endif()
zephyr_get(RANVIER_COMMAND)
include(${RANVIER_FIRMWARE}/cmake/ranvier.cmake)
_ranvier_find_command()
set_property(
  GLOBAL APPEND PROPERTY extra_post_build_commands
  COMMAND ${RANVIER_COMMAND} remote-image ${PROJECT_BINARY_DIR}/${KERNEL_HEX_NAME} -o
          ${PROJECT_BINARY_DIR}/remote.hex)
set_property(GLOBAL APPEND PROPERTY extra_post_build_byproducts ${PROJECT_BINARY_DIR}/remote.hex)
# What west flash writes.
set_target_properties(runners_yaml_props_target PROPERTIES hex_file ${PROJECT_BINARY_DIR}/remote.hex)
