/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef BAREMETAL_FAULT_H_
#define BAREMETAL_FAULT_H_

/** Vector of every exception that this port does not expect: reports it and ends the program. */
void rnv_fault_entry(void);

#endif /* BAREMETAL_FAULT_H_ */
