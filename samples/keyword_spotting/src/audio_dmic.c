/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A microphone behind Zephyr's DMIC interface: the devicetree's node `dmic_dev`. */

#include "audio.h"

#include <string.h>

#include <zephyr/audio/dmic.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <ranvier/port.h>

#include "ranvier_keywords.h"

#define HOP_BYTES RANVIER_KEYWORDS_PUSH_INPUT_0_BYTES
#define BLOCKS    8
#define READ_MS   500

K_MEM_SLAB_DEFINE_STATIC(blocks, HOP_BYTES, BLOCKS, 4);

static const struct device *const microphone = DEVICE_DT_GET(DT_NODELABEL(dmic_dev));

int audio_start(const char *source)
{
	struct pcm_stream_cfg stream = {
		.pcm_rate = AUDIO_RATE,
		.pcm_width = 16,
		.block_size = HOP_BYTES,
		.mem_slab = &blocks,
	};
	struct dmic_cfg config = {
		.io =
			{
				.min_pdm_clk_freq = 1000000,
				.max_pdm_clk_freq = 3500000,
				.min_pdm_clk_dc = 40,
				.max_pdm_clk_dc = 60,
			},
		.streams = &stream,
		.channel =
			{
				.req_num_streams = 1,
				.req_num_chan = 1,
			},
	};
	int status;

	ARG_UNUSED(source);
	config.channel.req_chan_map_lo = dmic_build_channel_map(0, 0, PDM_CHAN_LEFT);
	if (!device_is_ready(microphone)) {
		printk("microphone: not ready\n");
		return -ENODEV;
	}
	status = dmic_configure(microphone, &config);
	if (status == 0) {
		status = dmic_trigger(microphone, DMIC_TRIGGER_START);
	}
	if (status != 0) {
		printk("microphone: failed (%d)\n", status);
	}
	return status;
}

int audio_read(int16_t *samples, int count, uint64_t *arrival_us)
{
	void *block;
	size_t bytes;
	int status = dmic_read(microphone, 0, &block, &bytes, READ_MS);

	if (status != 0) {
		printk("microphone: failed (%d)\n", status);
		return status;
	}
	*arrival_us = rnv_now_us();
	bytes = MIN(bytes, (size_t)count * sizeof(*samples));
	memcpy(samples, block, bytes);
	k_mem_slab_free(&blocks, block);
	return (int)(bytes / sizeof(*samples));
}
