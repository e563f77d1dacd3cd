# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# The model, and the sound that PROGRAM listens to: a WAV file on this host, a microphone where the
# board has one (CONFIG_AUDIO_DMIC), else a clip that is linked in.

set(KEYWORDS ${RANVIER}/models/keywords)
set(SPOTTER ${RANVIER}/samples/keyword_spotting)

set(AUDIO_CLIP ${KEYWORDS}/examples/stream.wav CACHE FILEPATH "WAV file, 16 kHz, mono, 16 bits")
set(AUDIO_SECONDS 4.5 CACHE STRING "How much of it is linked in where there is no file system")

option(AUDIO_REALTIME "A file or clip is heard as slowly as a microphone's sound" ON)

if(NOT Zephyr_FOUND)
  target_sources(${PROGRAM} PRIVATE ${SPOTTER}/src/audio_wav.c ${SPOTTER}/src/audio_pace.c)
elseif(CONFIG_AUDIO_DMIC)
  target_sources(${PROGRAM} PRIVATE ${SPOTTER}/src/audio_dmic.c)
else()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_custom_command(
    OUTPUT clip.h
    COMMAND ${Python3_EXECUTABLE} ${SPOTTER}/wav_to_c.py ${AUDIO_CLIP} clip.h ${AUDIO_SECONDS}
    DEPENDS ${SPOTTER}/wav_to_c.py ${AUDIO_CLIP}
    VERBATIM)
  target_sources(${PROGRAM} PRIVATE ${SPOTTER}/src/audio_clip.c ${SPOTTER}/src/audio_pace.c
                                    ${CMAKE_CURRENT_BINARY_DIR}/clip.h)
  target_include_directories(${PROGRAM} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endif()
target_include_directories(${PROGRAM} PRIVATE ${SPOTTER}/src)
target_compile_definitions(${PROGRAM} PRIVATE AUDIO_DEFAULT="${AUDIO_CLIP}"
                                              AUDIO_REALTIME=$<BOOL:${AUDIO_REALTIME}>)
ranvier_add_model(
  ${PROGRAM} ${KEYWORDS}/keywords.tflite
  LABELS ${KEYWORDS}/labels.txt
  PIPELINE ${SPOTTER}/keywords.toml)
