/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A camera behind Zephyr's video interface: the devicetree's chosen `zephyr,camera`. */

#include "ranvier_shapes.h"

#include "camera.h"

#include <zephyr/drivers/video.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#define WIDTH   160
#define HEIGHT  120
#define BUFFERS 2

static const struct device *const camera = DEVICE_DT_GET(DT_CHOSEN(zephyr_camera));
static struct video_buffer *held;

static int failed(const char *what, int status)
{
	printk("camera: %s failed (%d)\n", what, status);
	return status;
}

static int give_buffers(void)
{
	for (int i = 0; i < BUFFERS; i++) {
		struct video_buffer *buffer =
			video_buffer_aligned_alloc(CAMERA_FRAME_BYTES, 16, K_NO_WAIT);

		if (buffer == NULL) {
			return -ENOMEM;
		}
		buffer->type = VIDEO_BUF_TYPE_OUTPUT;
		if (video_enqueue(camera, buffer) != 0) {
			return -EIO;
		}
	}
	return 0;
}

int camera_start(const char *source)
{
	struct video_format format = {
		.type = VIDEO_BUF_TYPE_OUTPUT,
		.pixelformat = VIDEO_PIX_FMT_RGB565,
		.width = WIDTH,
		.height = HEIGHT,
		.pitch = WIDTH * 2,
	};
	int status;

	ARG_UNUSED(source);
	if (!device_is_ready(camera)) {
		return failed("start", -ENODEV);
	}
	status = video_set_format(camera, &format);
	if (status == 0 && format.pitch != WIDTH * 2) {
		status = -ENOTSUP;
	}
	if (status != 0) {
		return failed("160x120 pixels of RGB565", status);
	}
	status = give_buffers();
	if (status == 0) {
		status = video_stream_start(camera, VIDEO_BUF_TYPE_OUTPUT);
	}
	return (status == 0) ? 0 : failed("stream", status);
}

int camera_frame(const uint8_t **frame)
{
	int status = 0;

	if (held != NULL) {
		status = video_enqueue(camera, held);
	}
	if (status == 0) {
		status = video_dequeue(camera, &held, K_FOREVER);
	}
	if (status != 0) {
		return failed("frame", status);
	}
	if (held->bytesused != CAMERA_FRAME_BYTES) {
		return failed("whole frames", -EMSGSIZE);
	}
	*frame = held->buffer;
	return 1;
}
