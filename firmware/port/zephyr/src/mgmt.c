/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Group 82 of MCUmgr: each command is handed to the portable handlers. */

#include <string.h>

#include <zephyr/kernel.h>
#include <zephyr/mgmt/mcumgr/mgmt/handlers.h>
#include <zephyr/mgmt/mcumgr/mgmt/mgmt.h>
#include <zephyr/mgmt/mcumgr/smp/smp.h>

#include <mgmt/smp.h>
#include <ranvier/zephyr/store.h>

/* Of a message in its buffer: length and checksum of the serial framing. */
#define FRAME_BYTES 4

#define CHUNK (CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE - FRAME_BYTES - RNV_SMP_UPLOAD_OVERHEAD)

/* For models that are being loaded after a boot. */
#define PATIENCE K_SECONDS(5)

BUILD_ASSERT(RNV_SMP_COMMANDS == 15, "a handler for each command");
BUILD_ASSERT(CHUNK >= 160, "CONFIG_MCUMGR_TRANSPORT_NETBUF_SIZE: at least 212");

static const char *lane_names[RNV_LANE_COUNT];

static struct rnv_smp smp = {
	.lane_names = lane_names,
	.version = RANVIER_VERSION,
	.board = CONFIG_BOARD_TARGET,
	.lane_count = RNV_LANE_COUNT,
	.chunk = CHUNK,
};

/* An error of the group is in the reply already; requests of version 1 are told a number of it. */
static void note_error(struct smp_streamer *streamer, const uint8_t *reply)
{
#ifdef CONFIG_MCUMGR_SMP_SUPPORT_ORIGINAL_PROTOCOL
	static const char error[] = {0x63, 'e', 'r', 'r'};

	if (memcmp(reply, error, sizeof(error)) == 0) {
		streamer->writer->error_group = RNV_SMP_GROUP;
		streamer->writer->error_ret = MGMT_ERR_EUNKNOWN;
	}
#endif
}

static int handle(struct smp_streamer *streamer, uint32_t op, uint32_t id)
{
	const uint8_t *reply = streamer->writer->zs->payload;
	int status;

	smp.server = rnv_runtime_server(PATIENCE);
	if (smp.server == NULL) {
		return MGMT_ERR_EBUSY;
	}
	status = rnv_smp_handle(&smp, op, id, streamer->reader->zs, streamer->writer->zs);
	if (status == RNV_SMP_EOK) {
		note_error(streamer, reply);
	}
	return status;
}

/* MCUmgr does not tell a handler which command it is called for. */
#define COMMAND(id, _)                                                                             \
	static int read_##id(struct smp_streamer *streamer)                                        \
	{                                                                                          \
		return handle(streamer, RNV_SMP_READ, id);                                         \
	}                                                                                          \
	static int write_##id(struct smp_streamer *streamer)                                       \
	{                                                                                          \
		return handle(streamer, RNV_SMP_WRITE, id);                                        \
	}

#define HANDLER(id, _) {.mh_read = read_##id, .mh_write = write_##id}

LISTIFY(15, COMMAND, ())

static const struct mgmt_handler handlers[] = {LISTIFY(15, HANDLER, (, ))};

static struct mgmt_group group = {
	.mg_handlers = handlers,
	.mg_handlers_count = ARRAY_SIZE(handlers),
	.mg_group_id = RNV_SMP_GROUP,
};

static void register_group(void)
{
	for (uint32_t lane = 0; lane < RNV_LANE_COUNT; lane++) {
		lane_names[lane] = rnv_runtime_lane_name(lane);
	}
	smp.sched = rnv_runtime_sched();
	smp.prof = IS_ENABLED(CONFIG_RANVIER_PROFILER) ? rnv_runtime_prof() : NULL;
	mgmt_register_group(&group);
}

MCUMGR_HANDLER_DEFINE(ranvier, register_group);
