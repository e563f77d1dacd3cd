/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Keywords in the realtime lane while frames are looked at in the best-effort one: the realtime
 * lane takes over between two steps of the detector, so that sound need not wait for a frame.
 */

#include <stdbool.h>
#include <stdio.h>

#include "ranvier_shapes.h"

#include "audio.h"
#include "camera.h"
#include "detector.h"
#include "spotter.h"

static struct latency frames;
static const uint8_t *frame;
static bool started;

/* Before every hop of sound: the next picture, where the last one is done. */
static int look(void)
{
	int status = started ? detector_end(0, &frames) : 1;

	if (status <= 0) {
		return status;
	}
	started = true;
	status = camera_frame(&frame);
	if (status == 0) { /* the same pictures again */
		status = (camera_start(NULL) == 0) ? camera_frame(&frame) : -1;
	}
	return (status > 0) ? detector_begin(frame) : -1;
}

int app_main(const char *argument)
{
	struct spotter_result result;
	int status;
	int last;

	if (spotter_open() != 0 || detector_open() != 0 || camera_start(NULL) != 0 ||
	    audio_start((argument != NULL) ? argument : AUDIO_DEFAULT) != 0) {
		return 1;
	}
	printf("listening and looking\n");
	status = spotter_listen(look, &result);
	last = detector_end(1, &frames);
	latency_print("realtime push", &result.push);
	latency_print("realtime infer", &result.infer);
	latency_print("best-effort frame", &frames);
	return (status == 0 && last >= 0) ? 0 : 1;
}
