/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef SIM_DEVICE_H_
#define SIM_DEVICE_H_

/* The device: flash, store, scheduler, server and their threads. One in a process. */

#include <pthread.h>

#include <mgmt/server.h>
#include <mgmt/smp.h>
#include <posix/driver.h>
#include <posix/flash.h>
#include <ranvier/prof.h>
#include <ranvier/psa/crypto.h>

#include "keys.h"
#include "options.h"

#define SIM_JOBS      64
#define SIM_MODELS    (RNV_STORE_MAX_MODELS + 2) /* served, and instances that are tested */
#define SIM_DEPTH     16
#define SIM_EXTERNALS 64
#define SIM_RECORDS   4096
#define SIM_STATES    (256u << 10) /* bytes of each model's state */
#define SIM_IO        (8u << 20)   /* bytes of the workspace */

struct sim_device {
	struct sim_options options;
	struct sim_layout layout;

	struct rnv_posix_flash flash;
	struct rnv_flash seam;
	struct rnv_psa psa;
	struct rnv_crypto crypto;
	struct rnv_key keys[SIM_KEYS];
	struct rnv_store store;
	struct rnv_store_model store_models[RNV_STORE_MAX_MODELS];

	struct rnv_posix_driver *driver;
	struct rnv_sched sched;
	struct rnv_sched_hooks hooks;
	struct rnv_lane lanes[SIM_LANES];
	struct rnv_job jobs[SIM_JOBS];
	struct rnv_job *queues[SIM_LANES][SIM_DEPTH];
	struct rnv_model models[SIM_MODELS];
	void *externals[SIM_JOBS][SIM_EXTERNALS];

	struct rnv_prof prof;
	struct rnv_prof_model prof_models[SIM_MODELS];
	struct rnv_prof_step *prof_steps[SIM_MODELS];
	struct rnv_prof_record prof_records[SIM_RECORDS];

	struct rnv_server server;
	struct rnv_ota_patch patch;
	struct rnv_server_model served[RNV_STORE_MAX_MODELS];
	struct rnv_server_place places[RNV_STORE_MAX_MODELS];
	struct rnv_smp smp;

	pthread_mutex_t gate;  /* those who wait for `mutex`, so that its last owner queues too */
	pthread_mutex_t mutex; /* the server's */
	pthread_mutex_t work_mutex;
	pthread_cond_t work; /* there is some, or the thread shall stop */
	pthread_t worker;
	uint32_t woken;
	uint32_t stop;
};

/* Exit codes, as those of the command `ranvier`: a file cannot be used; all else. */
#define SIM_EXIT_FILE   3
#define SIM_EXIT_FAILED 4

/* Start it; says what it finds. Returns 0, or an exit code, after saying what is wrong. */
int sim_device_start(struct sim_device *device, const struct sim_options *options);

/* Stop it, in order. */
void sim_device_stop(struct sim_device *device);

/* For others than the server who touch the flash. */
void sim_device_lock(void *device);
void sim_device_unlock(void *device);

#endif /* SIM_DEVICE_H_ */
