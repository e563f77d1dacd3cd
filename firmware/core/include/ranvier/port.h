/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_PORT_H_
#define RANVIER_PORT_H_

/**
 * @file
 * @brief What a port supplies: link-time symbols, so that a missing port fails the link.
 *
 * Only `sched`, `npu` and `prof` call them; packages, planning, kernels and execution need no port.
 * firmware/port/PORTING.md shows one for FreeRTOS and one for no OS at all.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Enter a critical section: exclude every thread and interrupt that calls the core.
 *
 * MUST nest, MUST be callable from any thread and interrupt that may call the core, and MUST order
 * memory accesses as a lock does. The core stays inside for a bounded number of instructions and
 * never runs a callback or a kernel there. Interrupts that are not excluded (zero-latency ones)
 * MUST NOT call the core. On one core, masking interrupts is the implementation; with threads on
 * several cores, a recursive lock.
 *
 * @return key for rnv_critical_exit()
 */
uint32_t rnv_critical_enter(void);

/**
 * Leave the critical section that returned `key`; sections are left in the reverse order.
 *
 * @param key what rnv_critical_enter() returned
 */
void rnv_critical_exit(uint32_t key);

/**
 * Time since an arbitrary start, in microseconds.
 *
 * MUST never run back and never wrap (64 bits built from a wrapping counter count as such where the
 * port is asked, or runs itself, at least once a wrap). Callable from any thread and interrupt that
 * may call the core, also inside a critical section. Resolution should be a few microseconds: a
 * tick of an RTOS is too coarse.
 */
uint64_t rnv_now_us(void);

/**
 * A free-running counter of cycles that wraps at 2^32, for the profiler. Any thread or interrupt.
 *
 * Differences of two readings are taken modulo 2^32, so intervals must be shorter than a wrap. MAY
 * run back where the machine's does (the profiler then counts 0 for the interval).
 */
uint32_t rnv_cycles(void);

/** Cycles of rnv_cycles() in a second; constant and not zero. */
uint32_t rnv_cycles_per_second(void);

/**
 * A broken invariant of the core itself or of a port: MUST NOT return.
 *
 * @param what static zero-terminated text that names the invariant
 */
void rnv_panic(const char *what);

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_PORT_H_ */
