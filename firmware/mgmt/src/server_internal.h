/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RNV_MGMT_SERVER_INTERNAL_H_
#define RNV_MGMT_SERVER_INTERNAL_H_

/* What the files of the model server share. All functions are called with the lock held. */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "mgmt/server.h"
#include "ranvier/port.h"

/* rnv_server.io_owner */
enum {
	RNV_IO_FREE,
	RNV_IO_TEST,
	RNV_IO_RUN,
};

/* What a part of the server has to do next. */
enum rnv_work {
	RNV_WORK_NONE, /* nothing */
	RNV_WORK_WAIT, /* it waits for jobs, or for the flash */
	RNV_WORK_MORE, /* at once */
};

/* --- server.c --- */

void rnv_server_lock(const struct rnv_server *server);
/* Let go of the lock; rnv_server_poll() has something to do. */
void rnv_server_unlock_wake(const struct rnv_server *server);
void rnv_server_unlock(const struct rnv_server *server);

/* The package that runs of a model: view, or NULL. */
const struct rnv_store_view *rnv_server_running(const struct rnv_server *server, uint32_t model);

/* --- server_io.c: the workspace --- */

static inline uint32_t rnv_align16(uint32_t bytes)
{
	return (bytes + 15u) & ~15u;
}

/* Take the workspace, if it is free. */
bool rnv_io_take(struct rnv_server *server, uint8_t owner);
void rnv_io_give(struct rnv_server *server);

/* Where they are: the workspace's start. Inputs, then outputs; NULL: in the arena. */
static inline struct rnv_buffer *rnv_io_list(const struct rnv_server *server)
{
	return server->config.io;
}

/*
 * Count those of `io->entry`, and give each a place in the workspace's first `room` bytes; to those
 * in the arena only if `staged`. RNV_OK or RNV_ENOMEM.
 */
int rnv_io_place(struct rnv_server *server, const struct rnv_package *pkg, uint32_t room,
		 bool staged, struct rnv_io *io);

/* Address of one that lies in the arena of the lane that is claimed; by its place in the list. */
void *rnv_io_resident(const struct rnv_server *server, const struct rnv_package *pkg,
		      const struct rnv_io *io, uint32_t index);

/*
 * Submit the job, with flags and deadline of the request. The lane is claimed for a resident
 * package, and `bring` brings its inputs into the arena. Returns as rnv_lane_claim() and
 * rnv_job_submit().
 */
int rnv_io_submit(struct rnv_server *server, const struct rnv_package *pkg, struct rnv_io *io,
		  struct rnv_job_request *request, void (*bring)(struct rnv_server *server));

/* RNV_EAGAIN, or RNV_OK with the job's result: RNV_ECANCELED where somebody else has it. */
int rnv_io_collect(const struct rnv_server *server, const struct rnv_io *io,
		   struct rnv_job_result *result);

/* Give back the lane, if it is claimed, and none of its jobs is left. */
void rnv_io_release(const struct rnv_server *server, struct rnv_io *io);

/* Sum of the sizes of `count` from `first` on. */
uint32_t rnv_io_sum(const struct rnv_server *server, uint32_t first, uint32_t count);

/* Inputs and outputs lie in the arena. */
static inline bool rnv_io_is_resident(const struct rnv_package *pkg)
{
	return (rnv_package_header(pkg)->flags & RNV_FLAG_IO_MASK) == (uint32_t)RNV_IO_RESIDENT;
}

/* --- server_load.c --- */

enum rnv_work rnv_load_poll(struct rnv_server *server);

/* It hashes: the engine waits, since there is one hash. */
bool rnv_load_verifies(const struct rnv_server *server);

/* --- server_test.c --- */

/* As rnv_ota_hooks.admit and .test. */
int rnv_test_hook(void *server, uint32_t model, const void *data, uint32_t bytes);

/* The test on demand. */
enum rnv_work rnv_test_poll(struct rnv_server *server);

/* End the test on demand, if it is of this model: RNV_EAGAIN: not yet. */
int rnv_test_give_up(struct rnv_server *server, uint32_t model);

/* --- server_run.c --- */

void rnv_run_poll(struct rnv_server *server);

#endif /* RNV_MGMT_SERVER_INTERNAL_H_ */
