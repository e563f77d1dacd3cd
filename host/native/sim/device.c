/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ranvier/port.h>

#define IDLE_US   30000000u
#define DRAIN_US  1000000u
#define ALIGNMENT 16u
#define EXIT_CUT  70

static int fail(const char *what, const char *name, int status)
{
	(void)fprintf(stderr, "ranvier-sim: %s %s: %s (%d)\n", what, name, strerror(-status),
		      status);
	return SIM_EXIT_FAILED;
}

static void *allocate(size_t bytes)
{
	void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1u) & ~(size_t)15u);

	if (memory == NULL) {
		(void)fputs("ranvier-sim: no memory\n", stderr);
		exit(SIM_EXIT_FAILED);
	}
	return memory;
}

/* --- flash ------------------------------------------------------------------------------------ */

static void cut(void *context)
{
	struct sim_device *device = context;

	(void)printf("the power is cut, in operation %u of the flash\n",
		     rnv_posix_flash_ops(&device->flash));
	(void)fflush(stdout);
	_exit(EXIT_CUT);
}

static void script_flash(struct sim_device *device)
{
	const struct sim_options *options = &device->options;

	device->flash.cut = cut;
	device->flash.cut_context = device;
	if (options->has_seed != 0u) {
		rnv_posix_flash_seed(&device->flash, options->seed);
	}
	for (uint32_t i = 0; i < options->fault_count; i++) {
		(void)rnv_posix_flash_script(&device->flash, &options->faults[i]);
	}
	if (options->cut != 0u) {
		const struct rnv_posix_flash_fault fault = {
			.op = options->cut - 1u,
			.kind = RNV_POSIX_FLASH_CUT,
			.tear = (uint32_t)(options->seed % (RNV_POSIX_FLASH_TEAR_WEAK + 1u)),
			.unit = RNV_POSIX_FLASH_ANY};

		(void)rnv_posix_flash_script(&device->flash, &fault);
	}
}

static int start_flash(struct sim_device *device)
{
	const char *path = device->options.flash;
	int status = rnv_posix_flash_open(&device->flash, &device->layout.geometry, path,
					  device->options.seed);

	switch (status) {
	case RNV_OK:
		script_flash(device);
		rnv_posix_flash_seam(&device->flash, &device->seam);
		return 0;
	case RNV_EBUSY:
		(void)fprintf(stderr, "ranvier-sim: %s: another simulated device has it open\n",
			      path);
		return SIM_EXIT_FILE;
	case RNV_EFORMAT:
		(void)fprintf(stderr, "ranvier-sim: %s: is no simulated device's flash\n", path);
		return SIM_EXIT_FILE;
	case RNV_EBADMSG:
		(void)fprintf(stderr, "ranvier-sim: %s: is a flash of another --layout\n", path);
		return SIM_EXIT_FILE;
	default:
		(void)fail("cannot open", path, status);
		return SIM_EXIT_FILE;
	}
}

static int start_store(struct sim_device *device)
{
	const struct sim_options *options = &device->options;
	struct rnv_store_config config = {
		.flash = &device->seam,
		.crypto = &device->crypto,
		.layout = device->layout.models,
		.models = device->store_models,
		.keys = device->keys,
		.model_count = device->layout.model_count,
		.trial_boots = options->trial_boots,
		.flags = (options->allow_unsigned != 0u) ? RNV_STORE_ALLOW_UNSIGNED : 0u,
	};
	int status;

	if (rnv_psa_init(&device->psa, &device->crypto) != RNV_OK) {
		return fail("cannot start", "Mbed TLS", RNV_EIO);
	}
	if (options->keys != NULL) {
		int count = sim_keys_read(device->keys, &device->crypto, options->keys);

		if (count < 0) {
			return SIM_EXIT_FILE;
		}
		config.key_count = (uint32_t)count;
	}
	status = rnv_store_mount(&device->store, &config);
	return (status == RNV_OK) ? 0 : fail("cannot mount the store in", options->flash, status);
}

/* --- scheduler -------------------------------------------------------------------------------- */

static void start_sched(struct sim_device *device)
{
	struct rnv_lane_config lanes[SIM_LANES];
	const struct rnv_prof_config prof = {.models = device->prof_models,
					     .records = device->prof_records,
					     .record_count = SIM_RECORDS,
					     .model_count = SIM_MODELS};
	const struct rnv_sched_config config = {.lane_configs = lanes,
						.lanes = device->lanes,
						.jobs = device->jobs,
						.models = device->models,
						.externals = device->externals[0],
						.lane_count = SIM_LANES,
						.job_count = SIM_JOBS,
						.model_count = SIM_MODELS,
						.externals_per_job = SIM_EXTERNALS,
						.hooks = &device->hooks};

	for (uint32_t i = 0; i < SIM_LANES; i++) {
		lanes[i] =
			(struct rnv_lane_config){.arena = allocate(device->options.arena_bytes[i]),
						 .arena_bytes = device->options.arena_bytes[i],
						 .queue = device->queues[i],
						 .depth = SIM_DEPTH};
	}
	device->driver = rnv_posix_driver_create();
	device->hooks = (struct rnv_sched_hooks){.wake = rnv_posix_wake,
						 .completed = rnv_posix_completed,
						 .trace = rnv_prof_trace,
						 .wake_context = device->driver,
						 .trace_context = &device->prof};
	if (device->driver == NULL || rnv_prof_init(&device->prof, &prof) != RNV_OK ||
	    rnv_sched_init(&device->sched, &config) != RNV_OK ||
	    rnv_posix_driver_start(device->driver, &device->sched, 0) != RNV_OK) {
		(void)fputs("ranvier-sim: no memory, or no thread\n", stderr);
		exit(SIM_EXIT_FAILED);
	}
}

/* --- server ----------------------------------------------------------------------------------- */

void sim_device_lock(void *context)
{
	struct sim_device *device = context;

	(void)pthread_mutex_lock(&device->gate);
	(void)pthread_mutex_lock(&device->mutex);
	(void)pthread_mutex_unlock(&device->gate);
}

void sim_device_unlock(void *context)
{
	struct sim_device *device = context;

	(void)pthread_mutex_unlock(&device->mutex);
}

static void wake(void *context)
{
	struct sim_device *device = context;

	(void)pthread_mutex_lock(&device->work_mutex);
	device->woken = 1;
	(void)pthread_cond_signal(&device->work);
	(void)pthread_mutex_unlock(&device->work_mutex);
}

/* Let the profiler watch what was just opened. */
static void watch(struct sim_device *device, uint32_t model)
{
	struct rnv_model_info info;
	const struct rnv_header *header;
	struct rnv_prof_target target;
	struct rnv_prof_step *old;
	uint32_t slot = model & 0xFFFFu;

	if (rnv_model_info_get(&device->sched, model, &info) != RNV_OK || slot >= SIM_MODELS) {
		return;
	}
	header = rnv_package_header(info.pkg);
	old = device->prof_steps[slot];
	device->prof_steps[slot] = allocate(info.pkg->step_count * sizeof(**device->prof_steps));
	target = (struct rnv_prof_target){.steps = device->prof_steps[slot],
					  .step_count = (uint16_t)info.pkg->step_count,
					  .arena_bytes = header->arena_bytes};
	memcpy(&target.package_crc, (const uint8_t *)header + header->total_bytes - 4u, 4);
	(void)rnv_prof_watch(&device->prof, slot, &target);
	free(old);
}

static int open_model(void *context, const struct rnv_model_config *config, uint32_t *model,
		      struct rnv_diag *diag)
{
	struct sim_device *device = context;
	int status = rnv_model_open(&device->sched, config, model, diag);

	if (status == RNV_OK) {
		watch(device, *model);
	}
	return status;
}

static int swap_model(void *context, const struct rnv_model_config *config, uint32_t *model,
		      uint32_t *kept, struct rnv_diag *diag)
{
	struct sim_device *device = context;
	int status = rnv_model_swap(&device->sched, config, model, kept, diag);

	if (status == RNV_OK) {
		watch(device, *model);
	}
	return status;
}

static void *work(void *context)
{
	struct sim_device *device = context;

	for (;;) {
		uint32_t delay_us = rnv_server_poll(&device->server);
		uint64_t until_us = rnv_now_us() + delay_us;
		struct timespec time = {.tv_sec = (time_t)(until_us / 1000000u),
					.tv_nsec = (long)(until_us % 1000000u) * 1000};
		uint32_t stop;

		(void)pthread_mutex_lock(&device->work_mutex);
		if (delay_us != 0u && device->woken == 0u && device->stop == 0u) {
			(void)pthread_cond_timedwait(&device->work, &device->work_mutex, &time);
		}
		device->woken = 0;
		stop = device->stop;
		(void)pthread_mutex_unlock(&device->work_mutex);
		if (stop != 0u) {
			return NULL;
		}
	}
}

static void init_locks(struct sim_device *device)
{
	pthread_condattr_t attributes;

	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&device->work, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	(void)pthread_mutex_init(&device->gate, NULL);
	(void)pthread_mutex_init(&device->mutex, NULL);
	(void)pthread_mutex_init(&device->work_mutex, NULL);
}

static int start_server(struct sim_device *device)
{
	uint32_t count = device->layout.model_count;
	const struct rnv_server_config config = {.sched = &device->sched,
						 .store = &device->store,
						 .places = device->places,
						 .models = device->served,
						 .model_count = count,
						 .isa_fast = device->options.isa_fast,
						 .io = allocate(SIM_IO),
						 .io_bytes = SIM_IO,
						 .idle_us = IDLE_US,
						 .drain_us = DRAIN_US,
						 .lock = sim_device_lock,
						 .unlock = sim_device_unlock,
						 .wake = wake,
						 .open = open_model,
						 .swap = swap_model,
						 .context = device};
	int status;

	for (uint32_t i = 0; i < count; i++) {
		device->places[i] = (struct rnv_server_place){.lanes = device->layout.lanes[i],
							      .state = allocate(SIM_STATES),
							      .state_bytes = SIM_STATES};
	}
	init_locks(device);
	status = rnv_server_init(&device->server, &config);
	if (status == RNV_OK) {
		status = rnv_server_accept_patches(&device->server, &device->patch);
	}
	if (status != RNV_OK) {
		return fail("cannot serve", device->options.layout, status);
	}
	(void)printf("ranvier-sim " RANVIER_VERSION ": %s, %u models, %d loaded\n",
		     device->options.flash, count, rnv_server_boot(&device->server));
	device->smp =
		(struct rnv_smp){.server = &device->server,
				 .sched = &device->sched,
				 .prof = &device->prof,
				 .lane_names = sim_lane_names,
				 .version = RANVIER_VERSION,
				 .board = "ranvier-sim",
				 .lane_count = SIM_LANES,
				 .chunk = device->options.buffer_bytes - RNV_SMP_UPLOAD_OVERHEAD};
	return 0;
}

int sim_device_start(struct sim_device *device, const struct sim_options *options)
{
	int status;

	device->options = *options;
	if (sim_layout_read(&device->layout, options->layout) != 0) {
		return SIM_EXIT_FILE;
	}
	status = start_flash(device);
	if (status == 0) {
		status = start_store(device);
	}
	if (status != 0) {
		return status;
	}
	if (options->allow_unsigned != 0u) {
		(void)puts("unsigned packages are accepted: for development only");
	}
	start_sched(device);
	status = start_server(device);
	if (status == 0 && pthread_create(&device->worker, NULL, work, device) != 0) {
		(void)fputs("ranvier-sim: no thread\n", stderr);
		status = SIM_EXIT_FAILED;
	}
	return status;
}

void sim_device_stop(struct sim_device *device)
{
	(void)pthread_mutex_lock(&device->work_mutex);
	device->stop = 1;
	(void)pthread_cond_signal(&device->work);
	(void)pthread_mutex_unlock(&device->work_mutex);
	(void)pthread_join(device->worker, NULL);
	rnv_posix_driver_stop(device->driver);
	rnv_posix_driver_destroy(device->driver);
	rnv_posix_flash_close(&device->flash);
}
