/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_ZEPHYR_RUNTIME_INTERNAL_H_
#define RANVIER_PORT_ZEPHYR_RUNTIME_INTERNAL_H_

/** @file @brief Between the files of the ready-made scheduler; each is there if Kconfig has it. */

#include <stdint.h>

#include <ranvier/package.h>
#include <ranvier/trace.h>

/** Initialise the profiler, before the scheduler. */
void rnv_runtime_prof_init(void);

/** Profile the model of a slot from zero. */
void rnv_runtime_prof_watch(uint32_t slot, const struct rnv_package *pkg);

/** The profiler's part of the trace hook. */
void rnv_runtime_prof_trace(const struct rnv_trace_event *event);

/** Initialise the task watchdog and begin to feed, after the scheduler has started. */
void rnv_runtime_watchdog_init(void);

/** The watchdog's part of the trace hook. */
void rnv_runtime_watchdog_trace(const struct rnv_trace_event *event);

#endif /* RANVIER_PORT_ZEPHYR_RUNTIME_INTERNAL_H_ */
