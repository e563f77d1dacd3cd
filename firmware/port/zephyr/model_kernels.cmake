# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
#   ranvier_model_kernels(OUT_SOURCES TABLE VARIANT)
#
# as rnv_core_kernels() of sources.cmake, for exactly the ops of the models that ranvier_add_model()
# embeds. These are known after Zephyr's modules were configured, so all kernels are compiled, the
# table is written when building, and the linker drops what it does not name.

# Run as a script with COMMAND, PACKAGES, TABLE, VARIANT, it writes the table.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.20)
  if(NOT PACKAGES)
    message(
      FATAL_ERROR
        "Ranvier: the application embeds no model. Call ranvier_add_model(app model.tflite) after"
        " find_package(Zephyr), or set CONFIG_RANVIER_OPS_ALL or CONFIG_RANVIER_OPS_LISTED.")
  endif()
  execute_process(
    COMMAND ${COMMAND} ops --format list ${PACKAGES}
    OUTPUT_VARIABLE ops
    RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "Ranvier: ${COMMAND} ops failed (${result})")
  endif()
  string(REPLACE "\n" ";" ops "${ops}")
  include(${CMAKE_CURRENT_LIST_DIR}/../../core/sources.cmake)
  rnv_core_kernels(sources ${TABLE} ${VARIANT} ${ops})
  file(TOUCH ${TABLE}) # CMake leaves an unchanged file alone
  return()
endif()

function(ranvier_model_kernels out_sources table variant)
  rnv_core_kernels(sources ${CMAKE_CURRENT_BINARY_DIR}/kernel_table_all.c ${variant})
  list(REMOVE_ITEM sources ${CMAKE_CURRENT_BINARY_DIR}/kernel_table_all.c)
  _ranvier_find_command()
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
  add_custom_target(ranvier_models)
  add_custom_command(
    OUTPUT ${table}
    COMMAND
      ${CMAKE_COMMAND} -DCOMMAND=${RANVIER_COMMAND}
      "-DPACKAGES=$<TARGET_PROPERTY:ranvier_models,RANVIER_PACKAGES>" -DTABLE=${table}
      -DVARIANT=${variant} -P ${script}
    DEPENDS ranvier_models $<TARGET_PROPERTY:ranvier_models,RANVIER_PACKAGES> ${script}
            ${RNV_CORE_DIR}/ops.txt ${RNV_CORE_DIR}/sources.cmake
    COMMENT "Choosing the kernels of the embedded models"
    VERBATIM)
  set(${out_sources} ${sources} ${table} PARENT_SCOPE)
endfunction()
