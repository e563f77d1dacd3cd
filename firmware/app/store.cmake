# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The layout of the store from CONFIG_APP_STORE_MODELS. Sets `stored`, the names of its models.

set(stored)
set(store_states)
set(store_layout)
set(store_places)
separate_arguments(store_models UNIX_COMMAND "${CONFIG_APP_STORE_MODELS}")
foreach(row IN LISTS store_models)
  if(NOT row MATCHES "^([A-Za-z0-9_.-]+):([0-9]+)(:([0-9]+))?$")
    message(FATAL_ERROR "CONFIG_APP_STORE_MODELS: \"${row}\" is not NAME:BYTES or NAME:BYTES:STATE")
  endif()
  set(name ${CMAKE_MATCH_1})
  set(bytes ${CMAKE_MATCH_2})
  set(state_bytes ${CMAKE_MATCH_4})
  list(APPEND stored ${name})
  string(APPEND store_layout "\t{.name = \"${name}\", .slot_bytes = ${bytes}},\n")
  if(state_bytes)
    string(MAKE_C_IDENTIFIER ${name} id)
    string(APPEND store_states "static uint8_t state_${id}[${state_bytes}] __aligned(16);\n")
    string(APPEND store_places
           "\t{.lanes = BIT(0), .state = state_${id}, .state_bytes = ${state_bytes}},\n")
  else()
    string(APPEND store_places "\t{.lanes = BIT_MASK(RNV_LANE_COUNT)},\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT store.c CONTENT [[
/* Made by store.cmake from CONFIG_APP_STORE_MODELS. */

#include <ranvier/zephyr/store.h>

#include "models.h"

@store_states@
static const struct rnv_store_layout layout[] = {
@store_layout@};

static const struct rnv_server_place places[] = {
@store_places@};

int app_store_start(void)
{
	return rnv_runtime_store_start(layout, places, ARRAY_SIZE(layout));
}
]] @ONLY)
target_sources(app PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/store.c)
