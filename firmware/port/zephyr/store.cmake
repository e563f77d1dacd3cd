# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The model store and its management: flash, model server, SMP.

set(mgmt ${RANVIER_FIRMWARE}/mgmt)
zephyr_include_directories(${mgmt}/include)
file(GLOB server CONFIGURE_DEPENDS ${mgmt}/src/server*.c)
zephyr_library_sources(src/flash.c src/server.c ${server})
zephyr_library_sources_ifdef(CONFIG_FLASH_SIMULATOR src/flash_map_simulator.c)
zephyr_library_sources_ifndef(CONFIG_FLASH_SIMULATOR src/flash_map_address.c)
if(CONFIG_RANVIER_STORE_GUARDED_READ OR CONFIG_RANVIER_SECOND_CORE_GUARDED_READ)
  zephyr_library_sources(src/flash_read_guarded.c)
else()
  zephyr_library_sources(src/flash_read_plain.c)
endif()
zephyr_library_sources_ifdef(CONFIG_RANVIER_PARK src/park_store.c)
zephyr_library_sources_ifndef(CONFIG_RANVIER_PARK src/park_store_none.c)

# The keys: what `ranvier keys public --c FILE.c` has made, FILE.h beside it. `development`: a key
# that is made here, for trials and tests; its private half is development_key.pem of the build.
zephyr_get(RANVIER_KEYS)
if(RANVIER_KEYS STREQUAL development)
  set(RANVIER_KEYS ${CMAKE_BINARY_DIR}/development_keys.c)
  set(key ${CMAKE_BINARY_DIR}/development_key.pem)
  _ranvier_find_command()
  if(NOT EXISTS ${key})
    _ranvier_run(output keys new ${key})
  endif()
  _ranvier_run(output keys public --c ${RANVIER_KEYS} ${key})
  message(STATUS "Ranvier: sign with ${key}, which is for development only")
endif()
if(RANVIER_KEYS)
  get_filename_component(keys ${RANVIER_KEYS} ABSOLUTE BASE_DIR ${APPLICATION_SOURCE_DIR})
  string(REGEX REPLACE "\\.c$" ".h" keys_header ${keys})
  foreach(file IN ITEMS ${keys} ${keys_header})
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "Ranvier: RANVIER_KEYS: there is no ${file}; make it with "
                          "`ranvier keys public --c ${keys} KEY.pem`")
    endif()
  endforeach()
  zephyr_library_sources(src/keys.c ${keys})
  set_source_files_properties(src/keys.c PROPERTIES COMPILE_DEFINITIONS
                                                    RANVIER_KEYS_HEADER="${keys_header}")
else()
  zephyr_library_sources(src/keys_none.c)
endif()

if(CONFIG_RANVIER_MGMT)
  zephyr_library_sources(src/mgmt.c ${mgmt}/src/smp.c ${mgmt}/src/smp_map.c ${mgmt}/src/smp_read.c
                         ${mgmt}/src/smp_run.c)
  zephyr_library_sources_ifdef(CONFIG_RANVIER_MGMT_READ_ONLY ${mgmt}/src/smp_read_only.c)
  zephyr_library_sources_ifndef(CONFIG_RANVIER_MGMT_READ_ONLY ${mgmt}/src/smp_write.c)
endif()
