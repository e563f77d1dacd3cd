/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef STRAY_H_
#define STRAY_H_

/** @file @brief A thread that goes wrong. */

/** Have a thread write to the second core's RAM, and print what becomes of it. From a thread. */
void stray_run(void);

#endif /* STRAY_H_ */
