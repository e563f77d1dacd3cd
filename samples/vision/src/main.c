/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Names the objects on every frame, and where they are. */

#include <stdio.h>

#include "ranvier_shapes.h"

#include "camera.h"
#include "detector.h"

int app_main(const char *argument)
{
	struct latency latency = {0};
	const uint8_t *frame;
	int status;

	if (detector_open() != 0 || camera_start(argument) != 0) {
		return 1;
	}
	status = camera_frame(&frame);
	while (status > 0) {
		status = detector_begin(frame);
		if (status == 0) {
			status = detector_end(1, &latency);
		}
		if (status > 0) {
			status = camera_frame(&frame);
		}
	}
	latency_print("frame", &latency);
	return (status == 0) ? 0 : 1;
}
