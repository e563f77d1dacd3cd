/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What users, applications and a bad accelerator do, at random. */

#include <string.h>

#include "soak.h"

/* --- models --- */

static struct rnv_model_config config_of(struct subject *subject, uint32_t variant)
{
	return (struct rnv_model_config){
		.data = subject->variants[variant].data,
		.bytes = subject->variants[variant].bytes,
		.lanes = subject->lanes,
		.state = subject->state,
		.state_bytes = sizeof(subject->state),
		.flags = RNV_MODEL_AUTO_RESET,
	};
}

void soak_open(uint32_t model)
{
	struct subject *subject = &soak.subjects[model];
	struct rnv_model_config config = config_of(subject, subject->variant);
	struct rnv_diag diag = {0};

	memset(subject->state_alone, 0, sizeof(subject->state_alone));
	CHECK(rnv_model_open(&soak.sched, &config, &subject->handle, &diag) == RNV_OK,
	      "model %u: %s %u", model, rnv_what_name(diag.what), diag.value);
	subject->completed = 0;
	subject->failed = 0;
	subject->stale = false;
	subject->draining = false;
	subject->drained_us = RNV_NEVER;
}

static bool is_claimed(uint32_t model)
{
	for (uint32_t l = 0; l < LANES; l++) {
		if (soak.at[l].claim == model) {
			return true;
		}
	}
	return false;
}

static void swap(uint32_t model)
{
	struct subject *subject = &soak.subjects[model];
	uint32_t next = (subject->variant + 1u) % VARIANTS;
	struct rnv_model_config config = config_of(subject, next);
	uint32_t old = subject->handle;
	uint32_t kept = 2;
	int status;

	config.lanes = 0;
	config.state = NULL;
	status = rnv_model_swap(&soak.sched, &config, &subject->handle, &kept, NULL);
	if (is_claimed(model)) {
		CHECK(status == RNV_EBUSY, "swap of a claimed model: %d", status);
		return;
	}
	CHECK(status == RNV_OK && subject->handle != old, "swap: %d", status);
	CHECK(kept == (subject->variants[0].pkg.header->state_layout ==
			       subject->variants[1].pkg.header->state_layout &&
		       subject->variants[0].pkg.header->state_bytes != 0u),
	      "model %u: kept %u", model, kept);
	if (kept == 0u) {
		memset(subject->state_alone, 0, sizeof(subject->state_alone));
		subject->stale = false;
	}
	soak.swaps++;
	soak.swaps_kept += kept;
	subject->variant = next;
	subject->completed = 0;
	subject->failed = 0;
	subject->draining = false;
}

static void undrain(struct subject *subject)
{
	CHECK(rnv_model_undrain(&soak.sched, subject->handle) == RNV_OK, "undrain");
	subject->draining = false;
	subject->drained_us = RNV_NEVER;
}

/* Of a drained model without jobs. */
static void change(uint32_t model)
{
	struct subject *subject = &soak.subjects[model];
	uint32_t old = subject->handle;

	switch (soak_random(4)) {
	case 0:
		undrain(subject);
		break;
	case 1:
		if (!is_claimed(model)) {
			CHECK(rnv_model_close(&soak.sched, old) == RNV_OK, "close");
			soak_open(model);
			CHECK(subject->handle != old, "a new handle");
			soak.reopened++;
		}
		break;
	case 2:
		CHECK(rnv_model_reset(&soak.sched, subject->handle) == RNV_OK, "reset");
		memset(subject->state_alone, 0, sizeof(subject->state_alone));
		subject->stale = false;
		break;
	default:
		swap(model);
		break;
	}
}

void soak_settle_models(void)
{
	for (uint32_t m = 0; m < MODELS; m++) {
		struct subject *subject = &soak.subjects[m];

		if (!subject->draining) {
			continue;
		}
		if (subject->jobs == 0u) {
			change(m);
		} else {
			struct rnv_model_config config = config_of(subject, subject->variant);
			uint32_t handle = subject->handle;

			CHECK(rnv_model_close(&soak.sched, handle) == RNV_EBUSY, "close: busy");
			CHECK(rnv_model_swap(&soak.sched, &config, &handle, NULL, NULL) ==
				      RNV_EBUSY,
			      "swap: busy");
		}
	}
}

static void drain(void)
{
	struct subject *subject = &soak.subjects[soak_random(MODELS)];
	uint32_t how = soak_chance(50) ? RNV_DRAIN_FINISH : RNV_DRAIN_CANCEL;
	int status;

	subject->draining = true;
	if (how == RNV_DRAIN_CANCEL && subject->drained_us == RNV_NEVER) {
		subject->drained_us = soak.now_us;
	}
	soak.drains++;
	status = rnv_model_drain(&soak.sched, subject->handle, how);
	CHECK(status == ((subject->jobs == 0u) ? RNV_OK : RNV_EAGAIN), "drain: %d, %u jobs", status,
	      subject->jobs);
}

static void claim(void)
{
	uint32_t l = soak_random(LANES);
	struct lane *lane = &soak.at[l];
	uint32_t model = soak_chance(60) ? RESIDENT : soak_random(MODELS);
	bool busy = lane->queued != 0u || lane->current != NULL || lane->zombie != NULL;
	int expected;

	if (lane->claim != MODELS) {
		expected = busy ? RNV_EBUSY : RNV_OK;
		CHECK(rnv_lane_release(&soak.sched, l) == expected, "release");
		lane->claim = busy ? lane->claim : MODELS;
		return;
	}
	expected = busy ? RNV_EBUSY : RNV_OK;
	if ((soak.subjects[model].lanes & (1u << l)) == 0u) {
		expected = RNV_ESTATE;
	}
	CHECK(rnv_lane_claim(&soak.sched, l, soak.subjects[model].handle) == expected, "claim");
	if (expected == RNV_OK) {
		lane->claim = model;
		soak.claims++;
	}
}

/* --- the accelerator --- */

static void misbehave(void)
{
	struct rnv_npu_sim_behaviour behaviour = {
		.latency_us = soak_chance(20) ? 0u : soak_random(120),
		.abort_latency_us = soak_random(soak.sim_config.abort_us + 20u),
		.requests = soak_random(4),
		.abort = (uint8_t)(soak_chance(70) ? RNV_NPU_SIM_STOPS : soak_random(3)),
	};

	if (soak_chance(40)) {
		behaviour.outcome = (uint8_t)soak_random(4);
	}
	if (soak_chance(10)) {
		behaviour.latency_us = soak.sim_config.timeout_us + soak_random(200); /* late */
	}
	rnv_npu_sim_set(&soak.sim, &behaviour);
}

static void recover(void)
{
	struct rnv_npu_info info;
	int status;

	rnv_npu_info_get(&soak.npu, &info);
	status = rnv_npu_recover(&soak.npu);
	soak.changes++;
	CHECK(status == ((info.state == RNV_NPU_QUARANTINED) ? RNV_OK : RNV_ESTATE), "recover: %d",
	      status);
	soak.recovered += status == RNV_OK;
}

static void power(void)
{
	struct rnv_npu_info info;
	int status;

	rnv_npu_info_get(&soak.npu, &info);
	if (info.state == RNV_NPU_SUSPENDED) {
		CHECK(rnv_npu_resume(&soak.npu) == RNV_OK, "resume");
	} else if (soak_chance(30)) {
		status = rnv_npu_suspend(&soak.npu);
		CHECK(status == RNV_OK || info.state != RNV_NPU_READY || status == RNV_EBUSY,
		      "suspend: %d", status);
	}
	soak.changes++;
}

/* --- all of it --- */

void soak_act(void)
{
	uint32_t what = soak_random(1000);

	if (what < 700u) {
		for (uint32_t count = soak_chance(5) ? 1u + soak_random(12) : 1u; count > 0u;
		     count--) {
			soak_submit();
		}
	} else if (what < 780u) {
		soak_cancel();
	} else if (what < 860u) {
		soak_set_deadline();
	} else if (what < 900u) {
		soak_collect();
	} else if (soak.depth != 0u) {
		soak_submit();
	} else if (what < 920u) {
		drain();
	} else if (what < 940u) {
		claim();
	} else if (what < 975u) {
		misbehave();
	} else if (what < 985u) {
		recover();
	} else {
		power();
	}
	if (soak.depth == 0u) {
		soak_settle_models();
	}
}

void soak_calm(void)
{
	const struct rnv_npu_sim_behaviour works = {0};
	struct rnv_npu_info info;

	rnv_npu_sim_set(&soak.sim, &works);
	rnv_npu_info_get(&soak.npu, &info);
	if (info.state == RNV_NPU_QUARANTINED) {
		recover();
	} else if (info.state == RNV_NPU_SUSPENDED) {
		CHECK(rnv_npu_resume(&soak.npu) == RNV_OK, "resume");
	}
	for (uint32_t m = 0; m < MODELS; m++) {
		if (soak.subjects[m].draining) {
			undrain(&soak.subjects[m]);
		}
	}
}
