# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Models in an application; included by firmware/CMakeLists.txt, and in Zephyr by the module.
#
#   ranvier_add_model(TARGET MODEL [INPUT kept|donated|resident] [NAME name] [LABELS file]
#                     [VERSION X.Y.Z] [ISA isa] [OPTIMIZE goal] [NPU accelerator]
#                     [MAX_STEP_MACS n | MAX_STEP_US t] [COSTS file] [PIPELINE file])
#
# compiles MODEL (.tflite) when TARGET is built and links the package with it. The application includes
# ranvier_<name>.h, which declares the package `ranvier_<name>` and has the sizes of the memory that it
# needs. NAME is by default the file's name without its ending. The package is also left beside the
# header as ranvier_<name>.rnv, for the `ranvier` command.
#
#   ranvier_model_ops(VARIABLE MODEL... [INPUT kept|donated|resident])
#
# sets VARIABLE to the ops that the models need. To link only these, include this file and set
# RANVIER_OPS so before add_subdirectory() of firmware. Compiles the models when CMake configures;
# give the INPUT of ranvier_add_model, because which kernels fit depends on it.
#
# Models are packed for RANVIER_ISA (generic) and optimised for RANVIER_OPTIMIZE (balanced), as
# `ranvier compile` takes them: dsp for Cortex-M4, M7 and M33, base for Cortex-M33 without DSP. In
# Zephyr both come from Kconfig, as do the ops to link: TARGET is `app`, and ranvier_model_ops() is
# not needed. NPU marks the steps that an accelerator may execute, MAX_STEP_MACS and MAX_STEP_US split
# long ones, COSTS is what `ranvier profile` measured, PIPELINE has the stages before and after the
# network (TOML): the options of `ranvier compile`.
#
# The `ranvier` command is RANVIER_COMMAND; by default the one of this repository's .venv, or of PATH.

set(RANVIER_ISA "generic" CACHE STRING "Instruction set to pack models for: generic, dsp, base")
set(RANVIER_OPTIMIZE "balanced" CACHE STRING "What packed models are for: speed, balanced, memory")

if(NOT RANVIER_ISA MATCHES "^(generic|dsp|base)$")
  message(
    FATAL_ERROR
      "Ranvier: RANVIER_ISA is \"${RANVIER_ISA}\"; models are packed for generic (every device; the"
      " fastest on Cortex-M55 and M85, with RANVIER_KERNELS=mve), dsp (Cortex-M4, M7, M33) or base"
      " (Cortex-M33 without the DSP extension).")
endif()
if(NOT RANVIER_OPTIMIZE MATCHES "^(speed|balanced|memory)$")
  message(
    FATAL_ERROR
      "Ranvier: RANVIER_OPTIMIZE is \"${RANVIER_OPTIMIZE}\"; give speed, balanced or memory.")
endif()
get_property(_ranvier_told GLOBAL PROPERTY RANVIER_TOLD_OPTIMIZE)
if(RANVIER_ISA STREQUAL "generic" AND NOT RANVIER_OPTIMIZE STREQUAL "balanced" AND NOT _ranvier_told)
  message(NOTICE "Ranvier: RANVIER_OPTIMIZE has no effect for RANVIER_ISA=generic.")
  set_property(GLOBAL PROPERTY RANVIER_TOLD_OPTIMIZE TRUE)
endif()

function(_ranvier_find_command)
  get_filename_component(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../.. ABSOLUTE)
  find_program(
    RANVIER_COMMAND ranvier
    DOC "The `ranvier` command"
    HINTS ${root}/.venv/bin
    NO_CMAKE_FIND_ROOT_PATH)
  if(NOT EXISTS "${RANVIER_COMMAND}")
    message(
      FATAL_ERROR
        "Ranvier: the `ranvier` command, which compiles models, was not found"
        " (RANVIER_COMMAND is \"${RANVIER_COMMAND}\").\n"
        "Install it with `make -C ${root} build` or `pip install ${root}`,"
        " or name it with -DRANVIER_COMMAND=/path/to/ranvier.")
  endif()
endfunction()

function(_ranvier_run output)
  execute_process(
    COMMAND ${RANVIER_COMMAND} ${ARGN}
    OUTPUT_VARIABLE stdout
    ERROR_VARIABLE stderr
    RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "Ranvier: ${RANVIER_COMMAND} ${ARGV1} failed (${result}):\n${stderr}")
  endif()
  set(${output} "${stdout}" PARENT_SCOPE)
endfunction()

function(ranvier_model_ops variable)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "INPUT" "")
  _ranvier_find_command()
  set(packages)
  set(options --isa ${RANVIER_ISA} --optimize ${RANVIER_OPTIMIZE})
  if(ARG_INPUT)
    list(APPEND options --input ${ARG_INPUT})
  endif()
  foreach(model IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(model ${model} ABSOLUTE)
    string(MD5 hash ${model})
    set(package ${CMAKE_CURRENT_BINARY_DIR}/ranvier-models/ops/${hash}.rnv)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/ranvier-models/ops)
    _ranvier_run(ignored compile ${model} -o ${package} --name model ${options}
                 --quiet)
    list(APPEND packages ${package})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model})
  endforeach()
  _ranvier_run(ops ops --format list ${packages})
  string(REPLACE "\n" ";" ops "${ops}")
  set(${variable} ${ops} PARENT_SCOPE)
endfunction()

# A file may be made by the build, too.
function(_ranvier_need what file)
  get_source_file_property(generated ${file} GENERATED)
  if(NOT EXISTS ${file} AND NOT generated)
    message(FATAL_ERROR "ranvier_add_model(): there is no ${what} ${file}")
  endif()
endfunction()

function(ranvier_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "INPUT;NAME;LABELS;VERSION;ISA;OPTIMIZE;NPU;MAX_STEP_MACS;MAX_STEP_US;COSTS;PIPELINE" "")
  if(ARG_UNPARSED_ARGUMENTS OR ARG_KEYWORDS_MISSING_VALUES)
    message(
      FATAL_ERROR "ranvier_add_model(${target} ...): cannot use:"
                  " ${ARG_UNPARSED_ARGUMENTS} ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  _ranvier_find_command()
  get_filename_component(model ${model} ABSOLUTE)
  _ranvier_need(model ${model})
  if(NOT ARG_NAME)
    get_filename_component(ARG_NAME ${model} NAME_WLE)
    string(REGEX REPLACE "[^A-Za-z0-9_.-]" "_" ARG_NAME ${ARG_NAME})
    string(SUBSTRING ${ARG_NAME} 0 31 ARG_NAME)
  endif()
  string(REGEX REPLACE "[^A-Za-z0-9_]" "_" symbol ranvier_${ARG_NAME})
  if(NOT ARG_ISA)
    set(ARG_ISA ${RANVIER_ISA})
  endif()
  if(NOT ARG_OPTIMIZE)
    set(ARG_OPTIMIZE ${RANVIER_OPTIMIZE})
  endif()
  set(options --name ${ARG_NAME} --isa ${ARG_ISA} --optimize ${ARG_OPTIMIZE})
  set(inputs ${model} ${RANVIER_COMMAND})
  if(ARG_INPUT)
    list(APPEND options --input ${ARG_INPUT})
  endif()
  if(ARG_NPU)
    list(APPEND options --npu ${ARG_NPU})
  endif()
  if(ARG_MAX_STEP_MACS)
    list(APPEND options --max-step-macs ${ARG_MAX_STEP_MACS})
  endif()
  if(ARG_MAX_STEP_US)
    list(APPEND options --max-step-us ${ARG_MAX_STEP_US})
  endif()
  if(ARG_COSTS)
    get_filename_component(ARG_COSTS ${ARG_COSTS} ABSOLUTE)
    _ranvier_need(COSTS ${ARG_COSTS})
    list(APPEND options --costs ${ARG_COSTS})
    list(APPEND inputs ${ARG_COSTS})
  endif()
  if(ARG_PIPELINE)
    get_filename_component(ARG_PIPELINE ${ARG_PIPELINE} ABSOLUTE)
    _ranvier_need(PIPELINE ${ARG_PIPELINE})
    list(APPEND options --pipeline ${ARG_PIPELINE})
    list(APPEND inputs ${ARG_PIPELINE})
  endif()
  if(ARG_VERSION)
    list(APPEND options --version ${ARG_VERSION})
  endif()
  if(ARG_LABELS)
    get_filename_component(ARG_LABELS ${ARG_LABELS} ABSOLUTE)
    _ranvier_need(LABELS ${ARG_LABELS})
    list(APPEND options --labels ${ARG_LABELS})
    list(APPEND inputs ${ARG_LABELS})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/ranvier-models)
  file(MAKE_DIRECTORY ${folder})
  set(base ${folder}/${symbol})
  add_custom_command(
    OUTPUT ${base}.c ${base}.h ${base}.rnv
    COMMAND ${RANVIER_COMMAND} compile ${model} -o ${base}.rnv --c-array ${base}.c ${options}
            --quiet
    DEPENDS ${inputs}
    COMMENT "Compiling the model ${ARG_NAME}"
    VERBATIM)
  target_sources(${target} PRIVATE ${base}.c ${base}.h)
  target_include_directories(${target} PRIVATE ${folder})
  if(TARGET ranvier_models) # a build that links the ops of the models that it has
    add_custom_target(${symbol}_package DEPENDS ${base}.rnv)
    add_dependencies(${target} ${symbol}_package)
    add_dependencies(ranvier_models ${symbol}_package)
    set_property(TARGET ranvier_models APPEND PROPERTY RANVIER_PACKAGES ${base}.rnv)
  endif()
endfunction()
