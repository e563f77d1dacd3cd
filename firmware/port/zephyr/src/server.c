/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The model server of the ready-made scheduler: flash, crypto, lock, hooks, and its thread. */

#include <zephyr/kernel.h>
#include <zephyr/logging/log.h>

#include <ranvier/npu.h>
#include <ranvier/psa/crypto.h>
#include <ranvier/zephyr/flash.h>
#include <ranvier/zephyr/store.h>

#include "fault_internal.h"
#include "park_internal.h"
#include "store_keys.h"

LOG_MODULE_DECLARE(ranvier, CONFIG_RANVIER_LOG_LEVEL);

#define MODELS      CONFIG_RANVIER_STORE_MODELS
#define NPU_WAIT_MS 50 /* for a request under way, before the store has to come again */

/* Packings that this CPU executes well: with the DSP extension it also has what others have. */
#define HAS_DSP  IS_ENABLED(CONFIG_RANVIER_ISA_DSP)
#define HAS_BASE (HAS_DSP || IS_ENABLED(CONFIG_RANVIER_ISA_BASE))
#define ISA_FAST                                                                                   \
	(BIT(RNV_ISA_GENERIC) | (HAS_BASE ? BIT(RNV_ISA_BASE) : 0U) |                              \
	 (HAS_DSP ? BIT(RNV_ISA_DSP) : 0U))

BUILD_ASSERT(CONFIG_RANVIER_MODEL_COUNT > MODELS,
	     "CONFIG_RANVIER_MODEL_COUNT: one more than CONFIG_RANVIER_STORE_MODELS");

static K_MUTEX_DEFINE(lock);
static K_SEM_DEFINE(work, 0, 1);
static K_SEM_DEFINE(booted, 0, 1);
static K_THREAD_STACK_DEFINE(stack, CONFIG_RANVIER_SERVER_STACK_SIZE);
static struct k_thread thread;

static struct rnv_flash flash;
static struct rnv_psa psa;
static struct rnv_crypto crypto;
static struct rnv_store store;
static struct rnv_store_model store_models[MODELS];
static struct rnv_server server;
static struct rnv_server_model server_models[MODELS];
static uint8_t workspace[MAX(CONFIG_RANVIER_SERVER_IO_SIZE, 1)] __aligned(RNV_PACKAGE_ALIGN);
static atomic_t started;
static int loaded;
static bool npu_parked; /* by park(), under the lock */

static void take(void *context)
{
	ARG_UNUSED(context);
	(void)k_mutex_lock(&lock, K_FOREVER);
}

static void give(void *context)
{
	ARG_UNUSED(context);
	(void)k_mutex_unlock(&lock);
}

static void wake(void *context)
{
	ARG_UNUSED(context);
	k_sem_give(&work);
}

static int open_model(void *context, const struct rnv_model_config *config, uint32_t *model,
		      struct rnv_diag *diag)
{
	ARG_UNUSED(context);
	return rnv_runtime_model_open(config, model, diag);
}

static int swap_model(void *context, const struct rnv_model_config *config, uint32_t *model,
		      uint32_t *kept, struct rnv_diag *diag)
{
	ARG_UNUSED(context);
	return rnv_runtime_model_swap(config, model, kept, diag);
}

/* No accelerator reads the flash while it changes. One that is suspended already stays so. */
static int park(void *context, uint32_t offset)
{
	struct rnv_npu *npu = rnv_runtime_npu();
	struct rnv_npu_info info;
	int status;

	ARG_UNUSED(context);
	ARG_UNUSED(offset);
	if (npu == NULL) {
		return RNV_OK;
	}
	for (int waited_ms = 0;; waited_ms++) {
		status = rnv_npu_suspend(npu);
		if (status != RNV_EBUSY || waited_ms == NPU_WAIT_MS) {
			break;
		}
		k_msleep(1);
	}
	npu_parked = status == RNV_OK;
	if (status == RNV_ESTATE) {
		rnv_npu_info_get(npu, &info);
		return (info.state == RNV_NPU_SUSPENDED) ? RNV_OK : RNV_EAGAIN;
	}
	return (status == RNV_EBUSY) ? RNV_EAGAIN : status;
}

static void unpark(void *context)
{
	ARG_UNUSED(context);
	if (npu_parked && rnv_npu_resume(rnv_runtime_npu()) != RNV_OK) {
		LOG_ERR("the accelerator does not resume");
	}
	npu_parked = false;
}

static void serve(void *p1, void *p2, void *p3)
{
	ARG_UNUSED(p1);
	ARG_UNUSED(p2);
	ARG_UNUSED(p3);
	loaded = rnv_server_boot(&server);
	k_sem_give(&booted);
	for (;;) {
		const uint32_t rest_us = rnv_server_poll(&server);

		if (rest_us == 0U) {
			k_yield();
		} else {
			(void)k_sem_take(&work, K_USEC(rest_us));
		}
	}
}

static int mount(const struct rnv_store_layout *layout, uint32_t count)
{
	const struct rnv_store_config config = {
		.flash = &flash,
		.crypto = &crypto,
		.layout = layout,
		.models = store_models,
		.keys = rnv_runtime_keys,
		.model_count = count,
		.key_count = rnv_runtime_key_count,
		.trial_boots = CONFIG_RANVIER_STORE_TRIAL_BOOTS,
		.flags = IS_ENABLED(CONFIG_RANVIER_STORE_ALLOW_UNSIGNED) ? RNV_STORE_ALLOW_UNSIGNED
									 : 0U,
		.write_begin = park,
		.write_end = unpark,
	};
	int status = rnv_zephyr_flash_init(&flash);

	if (status != RNV_OK) {
		LOG_ERR("no store: the partition cannot be used (%d); see ranvier/zephyr/flash.h",
			status);
		return status;
	}
	status = rnv_runtime_park_store(&flash);
	if (status != RNV_OK) {
		LOG_ERR("no store: its writes cannot park the second core (%d)", status);
		return status;
	}
	status = rnv_psa_init(&psa, &crypto);
	if (status != RNV_OK) {
		LOG_ERR("no store: PSA Crypto does not start (%d); has it a source of entropy?",
			status);
		return status;
	}
	status = rnv_store_mount(&store, &config);
	if (status != RNV_OK) {
		LOG_ERR("no store: %d; do the slots fit %u bytes, in sectors of %u?", status,
			flash.geometry.bytes, flash.geometry.sector_bytes);
	}
	return status;
}

static int prepare(const struct rnv_server_place *places, uint32_t count)
{
	const struct rnv_server_config config = {
		.sched = rnv_runtime_sched(),
		.store = &store,
		.places = places,
		.models = server_models,
		.model_count = count,
		.isa_fast = ISA_FAST,
		.io = workspace,
		.io_bytes = CONFIG_RANVIER_SERVER_IO_SIZE,
		.idle_us = CONFIG_RANVIER_UPDATE_IDLE_MS * 1000ULL,
		.drain_us = CONFIG_RANVIER_UPDATE_DRAIN_MS * 1000ULL,
		.lock = take,
		.unlock = give,
		.wake = wake,
		.open = open_model,
		.swap = swap_model,
	};
	int status = rnv_server_init(&server, &config);

	if (status != RNV_OK) {
		LOG_ERR("no store: its places are wrong (%d): lanes, or alignment of states",
			status);
	} else if (IS_ENABLED(CONFIG_RANVIER_UPDATE_PATCHES)) {
		static struct rnv_ota_patch patch;

		status = rnv_server_accept_patches(&server, &patch);
	}
	return status;
}

int rnv_runtime_store_start(const struct rnv_store_layout *layout,
			    const struct rnv_server_place *places, uint32_t count)
{
	int status;

	if (count == 0U || count > MODELS) {
		LOG_ERR("no store: %u models; CONFIG_RANVIER_STORE_MODELS is %u", count, MODELS);
		return RNV_EINVAL;
	}
	if (!atomic_cas(&started, 0, 1)) {
		return RNV_ESTATE;
	}
	status = mount(layout, count);
	if (status == RNV_OK) {
		status = prepare(places, count);
	}
	if (status != RNV_OK) {
		return status;
	}
	if (IS_ENABLED(CONFIG_RANVIER_STORE_ALLOW_UNSIGNED)) {
		LOG_WRN("unsigned models are accepted: CONFIG_RANVIER_STORE_ALLOW_UNSIGNED is for "
			"development only");
	} else if (rnv_runtime_key_count == 0U) {
		LOG_WRN("no model can be loaded: there are no keys; see RANVIER_KEYS");
	}
	(void)k_thread_create(&thread, stack, K_THREAD_STACK_SIZEOF(stack), serve, NULL, NULL, NULL,
			      K_PRIO_PREEMPT(CONFIG_RANVIER_SERVER_PRIORITY), 0, K_NO_WAIT);
	(void)k_thread_name_set(&thread, "ranvier_server");
	(void)rnv_runtime_server(K_FOREVER);
	return loaded;
}

bool rnv_runtime_is_server(const struct k_thread *other)
{
	return other == &thread;
}

struct rnv_server *rnv_runtime_server(k_timeout_t timeout)
{
	if (k_sem_take(&booted, timeout) != 0) {
		return NULL;
	}
	k_sem_give(&booted); /* for whoever comes next */
	return &server;
}
