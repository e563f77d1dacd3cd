/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The ready-made scheduler: memory by Kconfig, hooks, threads. */

#include <zephyr/init.h>
#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include <ranvier/admission.h>
#include <ranvier/package.h>
#include <ranvier/port.h>
#include <ranvier/status.h>
#include <ranvier/zephyr/runtime.h>

#include "runtime_internal.h"

#ifdef CONFIG_RANVIER_NPU_SIM
#include <npu_sim/npu_sim_zephyr.h>
#endif

LOG_MODULE_REGISTER(ranvier, CONFIG_RANVIER_LOG_LEVEL);

#define MODELS    CONFIG_RANVIER_MODEL_COUNT
#define JOBS      CONFIG_RANVIER_JOB_COUNT
#define EXTERNALS CONFIG_RANVIER_EXTERNALS_PER_JOB
#define WORKERS   COND_CODE_1(CONFIG_RANVIER_THREAD_PER_LANE, (RNV_LANE_COUNT), (1))

/* Applied to the name of each lane that there is. */
#define FOR_EACH_LANE(F)                                                                           \
	IF_ENABLED(CONFIG_RANVIER_LANE_REALTIME, (F(REALTIME, "realtime")))                        \
	IF_ENABLED(CONFIG_RANVIER_LANE_NORMAL, (F(NORMAL, "normal")))                              \
	IF_ENABLED(CONFIG_RANVIER_LANE_BEST_EFFORT, (F(BEST_EFFORT, "best effort")))

#define ARENA_BYTES(lane) ROUND_UP(CONFIG_RANVIER_LANE_##lane##_ARENA_SIZE, RNV_PACKAGE_ALIGN)

#define LANE_MEMORY(lane, text)                                                                    \
	static uint8_t arena_##lane[ARENA_BYTES(lane)] __aligned(RNV_PACKAGE_ALIGN);               \
	static struct rnv_job *queue_##lane[CONFIG_RANVIER_LANE_##lane##_DEPTH];

#define LANE_CONFIG(lane, text)                                                                    \
	[RNV_LANE_##lane] = {                                                                      \
		.arena = arena_##lane,                                                             \
		.arena_bytes = sizeof(arena_##lane),                                               \
		.queue = queue_##lane,                                                             \
		.depth = ARRAY_SIZE(queue_##lane),                                                 \
		.overload = IS_ENABLED(CONFIG_RANVIER_LANE_##lane##_DROP_OLDEST)                   \
				    ? RNV_OVERLOAD_DROP_OLDEST                                     \
				    : RNV_OVERLOAD_REFUSE,                                         \
		.flags = IS_ENABLED(CONFIG_RANVIER_LANE_##lane##_ATOMIC) ? RNV_LANE_ATOMIC : 0,    \
	},

#define LANE_NAME(lane, text) text,

FOR_EACH_LANE(LANE_MEMORY)

BUILD_ASSERT(RNV_LANE_COUNT > 0, "CONFIG_RANVIER_LANE_...: at least one lane");

static const struct rnv_lane_config lane_configs[RNV_LANE_COUNT] = {FOR_EACH_LANE(LANE_CONFIG)};
static const char *const lane_names[RNV_LANE_COUNT] = {FOR_EACH_LANE(LANE_NAME)};

static struct rnv_sched sched;
static struct rnv_lane lanes[RNV_LANE_COUNT];
static struct rnv_job jobs[JOBS];
static struct rnv_model models[MODELS];
static void *externals[JOBS * EXTERNALS];

static struct rnv_zephyr_driver driver;
static struct rnv_zephyr_worker workers[WORKERS];
static K_THREAD_STACK_ARRAY_DEFINE(stacks, WORKERS, CONFIG_RANVIER_THREAD_STACK_SIZE);

struct rnv_sched *rnv_runtime_sched(void)
{
	return &sched;
}

struct rnv_zephyr_driver *rnv_runtime_driver(void)
{
	return &driver;
}

const char *rnv_runtime_lane_name(uint32_t lane)
{
	return (lane < RNV_LANE_COUNT) ? lane_names[lane] : NULL;
}

#ifdef CONFIG_RANVIER_NPU_SIM
static struct rnv_npu npu;

static struct rnv_npu *start_npu(void)
{
	(void)rnv_npu_sim_zephyr_start(&npu);
	return &npu;
}
#else
static struct rnv_npu *start_npu(void)
{
	return NULL;
}
#endif

struct rnv_npu *rnv_runtime_npu(void)
{
	return sched.npu;
}

static void trace(void *context, const struct rnv_trace_event *event)
{
	ARG_UNUSED(context);
	if (IS_ENABLED(CONFIG_RANVIER_PROFILER)) {
		rnv_runtime_prof_trace(event);
	}
	if (IS_ENABLED(CONFIG_RANVIER_WATCHDOG)) {
		rnv_runtime_watchdog_trace(event);
	}
	if (CONFIG_RANVIER_STEP_COST_US > 0) {
		rnv_zephyr_step_cost(NULL, event);
	}
}

#define TRACED                                                                                     \
	(IS_ENABLED(CONFIG_RANVIER_PROFILER) || IS_ENABLED(CONFIG_RANVIER_WATCHDOG) ||             \
	 CONFIG_RANVIER_STEP_COST_US > 0)

#ifdef CONFIG_RANVIER_ADMISSION
static struct rnv_admission admission = {.blocking_us = CONFIG_RANVIER_ADMISSION_BLOCKING_US};
#define ADMIT         rnv_admission_check
#define ADMIT_CONTEXT &admission

int rnv_runtime_reserve(const struct rnv_reservation *reservations, uint32_t count)
{
	if (reservations == NULL && count != 0U) {
		return RNV_EINVAL;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (reservations[i].lane >= RNV_LANE_COUNT) {
			return RNV_EINVAL;
		}
	}
	admission.reservations = reservations;
	admission.reservation_count = count;
	return RNV_OK;
}
#else
#define ADMIT         NULL
#define ADMIT_CONTEXT NULL
#endif

static const struct rnv_sched_hooks hooks = {
	.wake = rnv_zephyr_wake,
	.completed = rnv_zephyr_completed,
	.trace = TRACED ? trace : NULL,
	.admit = ADMIT,
	.wake_context = &driver,
	.admit_context = ADMIT_CONTEXT,
};

static int start(void)
{
	const struct rnv_sched_config config = {
		.lane_configs = lane_configs,
		.lanes = lanes,
		.jobs = jobs,
		.models = models,
		.externals = externals,
		.lane_count = RNV_LANE_COUNT,
		.job_count = JOBS,
		.model_count = MODELS,
		.externals_per_job = EXTERNALS,
		.npu = start_npu(),
		.hooks = &hooks,
	};

	for (uint32_t i = 0; i < WORKERS; i++) {
		workers[i].stack = stacks[i];
		workers[i].stack_size = K_THREAD_STACK_SIZEOF(stacks[i]);
		workers[i].priority = CONFIG_RANVIER_THREAD_PRIORITY + (int)i;
	}
	if (IS_ENABLED(CONFIG_RANVIER_PROFILER)) {
		rnv_runtime_prof_init();
	}
	rnv_zephyr_driver_init(&driver, workers, WORKERS);
	if (rnv_sched_init(&sched, &config) != RNV_OK) {
		rnv_panic("Kconfig has a scheduler that cannot be"); /* ranges forbid it */
	}
	rnv_zephyr_driver_start(&driver, &sched);
	if (IS_ENABLED(CONFIG_RANVIER_WATCHDOG_INIT)) {
		rnv_runtime_watchdog_init();
	}
	return 0;
}

SYS_INIT(start, APPLICATION, CONFIG_KERNEL_INIT_PRIORITY_DEFAULT);

/* Why a configuration is refused whose package is none of the reasons, and what to try. */
static const char *refusal(int status)
{
	switch (status) {
	case RNV_EAGAIN:
		return "as many are open as may be; raise CONFIG_RANVIER_MODEL_COUNT";
	case RNV_EEXIST:
		return "one of that name is open";
	case RNV_EALIGN:
		return "its package or state is not 16-byte aligned";
	case RNV_EINVAL:
		return "its configuration is wrong: data, flags, lanes (one for a model with "
		       "state)";
	case RNV_ENOENT:
		return "there is no model to swap";
	case RNV_EBUSY:
		return "the model to swap is not drained";
	default:
		return "see ranvier/status.h";
	}
}

/* For RNV_ENOMEM: the package is in order, and needs more of something than there is. */
static void log_too_small(const char *name, const struct rnv_header *header, uint32_t need)
{
	if (header->external_count > EXTERNALS) {
		LOG_ERR("model %s refused: a job has %u inputs and outputs; raise "
			"CONFIG_RANVIER_EXTERNALS_PER_JOB",
			name, header->external_count);
	} else if (need == header->arena_bytes) {
		LOG_ERR("model %s refused: needs an arena of %u bytes; raise "
			"CONFIG_RANVIER_LANE_..._ARENA_SIZE, or leave the lane out",
			name, need);
	} else {
		LOG_ERR("model %s refused: needs %u bytes of state; give them in its configuration",
			name, need);
	}
}

static void log_refused(int status, const struct rnv_model_config *config,
			const struct rnv_diag *diag)
{
	struct rnv_package pkg = {0};
	const char *name = "of unknown name";

	if (config != NULL && rnv_package_open(&pkg, config->data, config->bytes, RNV_OPEN_SKIP_CRC,
					       NULL) == RNV_OK) {
		name = (const char *)rnv_package_header(&pkg)->name;
	}
	if (diag->what != RNV_WHAT_NONE) {
		LOG_ERR("model %s refused: %s (%d), index %u, value %u", name,
			rnv_what_name(diag->what), status, diag->index, diag->value);
	} else if (status == RNV_ENOMEM) {
		log_too_small(name, rnv_package_header(&pkg), diag->value);
	} else {
		LOG_ERR("model %s refused: %s (%d)", name, refusal(status), status);
	}
}

/* Log, and let it be profiled. */
static int opened(int status, const struct rnv_model_config *config, uint32_t model,
		  const struct rnv_diag *diag)
{
	struct rnv_model_info info;

	if (status != RNV_OK) {
		log_refused(status, config, diag);
		return status;
	}
	if (rnv_model_info_get(&sched, model, &info) == RNV_OK) {
		LOG_INF("model %s: arena %u bytes",
			(const char *)rnv_package_header(info.pkg)->name,
			rnv_package_header(info.pkg)->arena_bytes);
		if (IS_ENABLED(CONFIG_RANVIER_PROFILER)) {
			rnv_runtime_prof_watch(model & 0xFFFFU, info.pkg);
		}
	}
	return RNV_OK;
}

int rnv_runtime_model_open(const struct rnv_model_config *config, uint32_t *model,
			   struct rnv_diag *diag)
{
	struct rnv_diag mine;
	struct rnv_diag *why = (diag != NULL) ? diag : &mine;
	int status;

	*why = (struct rnv_diag){0};
	status = rnv_model_open(&sched, config, model, why);
	return opened(status, config, (status == RNV_OK) ? *model : RNV_NO_HANDLE, why);
}

int rnv_runtime_model_swap(const struct rnv_model_config *config, uint32_t *model, uint32_t *kept,
			   struct rnv_diag *diag)
{
	struct rnv_diag mine;
	struct rnv_diag *why = (diag != NULL) ? diag : &mine;
	int status;

	*why = (struct rnv_diag){0};
	status = rnv_model_swap(&sched, config, model, kept, why);
	return opened(status, config, (status == RNV_OK) ? *model : RNV_NO_HANDLE, why);
}
