/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef REGION_H_
#define REGION_H_

/* What both processes know of the region. */

#define ENTRIES    8
#define SLOTS      4
#define SLOT_BYTES 1024 /* a frame and its result take 794 */

#define BEAT_US 20000   /* both look at least so often */
#define DEAD_US 2000000 /* a process that was killed is found after that */

#endif /* REGION_H_ */
