/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Names the keywords that are spoken in a continuous sound. */

#include <stdio.h>

#include "audio.h"
#include "spotter.h"

int app_main(const char *argument)
{
	struct spotter_result result;
	int status;

	if (spotter_open() != 0 ||
	    audio_start((argument != NULL) ? argument : AUDIO_DEFAULT) != 0) {
		return 1;
	}
	printf("listening\n");
	status = spotter_listen(NULL, &result);
	printf("%u keywords\n", (unsigned int)result.events);
	latency_print("push", &result.push);
	latency_print("infer", &result.infer);
	return (status == 0) ? 0 : 1;
}
