/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>

#include "npu_sim/npu_sim.h"
#include "ranvier/package.h"
#include "ranvier/port.h"
#include "ranvier/status.h"

/* Where its one request is. */
enum phase {
	IDLE,    /* there is none */
	PENDING, /* due at due_us; an abort can still change it */
	WORKING, /* the other context executes its step */
	ENDED,   /* its event is to be sent */
};

void rnv_npu_sim_init(struct rnv_npu_sim *sim, struct rnv_npu *npu,
		      const struct rnv_npu_sim_config *config)
{
	*sim = (struct rnv_npu_sim){
		.npu = npu,
		.config = *config,
		.caps = {.name = "sim",
			 .abort_us = config->abort_us,
			 .timeout_us = config->timeout_us},
		.due_us = UINT64_MAX,
	};
	rnv_opset_get(sim->caps.opset);
}

void rnv_npu_sim_set(struct rnv_npu_sim *sim, const struct rnv_npu_sim_behaviour *behaviour)
{
	uint32_t key = rnv_critical_enter();

	sim->behaviour = *behaviour;
	rnv_critical_exit(key);
}

void rnv_npu_sim_get(const struct rnv_npu_sim *sim, struct rnv_npu_sim_behaviour *behaviour)
{
	uint32_t key = rnv_critical_enter();

	*behaviour = sim->behaviour;
	rnv_critical_exit(key);
}

void rnv_npu_sim_counts_get(const struct rnv_npu_sim *sim, struct rnv_npu_sim_counts *counts)
{
	uint32_t key = rnv_critical_enter();

	*counts = sim->counts;
	rnv_critical_exit(key);
}

uint64_t rnv_npu_sim_next_us(const struct rnv_npu_sim *sim)
{
	uint32_t key = rnv_critical_enter();
	uint64_t due_us = (sim->phase == PENDING) ? sim->due_us : UINT64_MAX;

	rnv_critical_exit(key);
	return due_us;
}

/* --- the other context ----------------------------------------------------------------------- */

/* Overwrite the outputs of a whole step, as a device may that fails half-way. */
static void spoil(const struct rnv_exec *exec)
{
	const struct rnv_step_rec *step = &exec->pkg->steps[exec->step];
	const struct rnv_op_rec *op = &exec->pkg->ops[step->op];
	const uint16_t *outputs = &exec->pkg->operands[op->operand_first + op->input_count];

	if ((step->flags & RNV_STEP_SLICE) != 0u) {
		return; /* its part of the outputs is the kernel's knowledge */
	}
	for (uint32_t i = 0; i < op->output_count; i++) {
		const struct rnv_tensor_rec *rec = rnv_package_tensor(exec->pkg, outputs[i]);
		uint8_t *bytes = rnv_exec_tensor(exec, outputs[i]);

		for (uint32_t k = 0; k < rec->bytes; k++) {
			bytes[k] = (uint8_t)(0xA5u + k);
		}
	}
}

bool rnv_npu_sim_work(struct rnv_npu_sim *sim, uint64_t now_us)
{
	uint32_t key = rnv_critical_enter();
	bool due = sim->phase == PENDING && now_us >= sim->due_us;

	if (due) {
		sim->phase = WORKING;
	}
	rnv_critical_exit(key);
	if (!due) {
		return false;
	}
	if (sim->status == RNV_OK) {
		(void)rnv_exec_step(&sim->exec);
	} else if (sim->outcome == RNV_NPU_SIM_FAULTS) {
		spoil(&sim->exec);
	}
	key = rnv_critical_enter();
	sim->counts.executed += (sim->status == RNV_OK) ? 1u : 0u;
	sim->phase = ENDED;
	rnv_critical_exit(key);
	return true;
}

void rnv_npu_sim_send(struct rnv_npu_sim *sim)
{
	uint32_t key = rnv_critical_enter();
	bool ended = sim->phase == ENDED;
	uint32_t serial = sim->serial;
	int status = sim->status;

	if (ended) {
		sim->phase = IDLE; /* before the event: the next request may come with it */
		sim->sending++;
		sim->counts.events++;
	}
	rnv_critical_exit(key);
	if (ended) {
		rnv_npu_event(sim->npu, serial, status);
		key = rnv_critical_enter();
		sim->sending--;
		rnv_critical_exit(key);
	}
}

void rnv_npu_sim_poll(struct rnv_npu_sim *sim, uint64_t now_us)
{
	if (rnv_npu_sim_work(sim, now_us)) {
		rnv_npu_sim_send(sim);
	}
}

/* --- the driver ------------------------------------------------------------------------------ */

static void kick(const struct rnv_npu_sim *sim)
{
	if (sim->config.kick != NULL) {
		sim->config.kick(sim->config.context);
	}
}

static const struct rnv_npu_caps *sim_caps(void *device)
{
	const struct rnv_npu_sim *sim = device;

	return &sim->caps;
}

static int sim_load(void *device, const struct rnv_package *pkg)
{
	struct rnv_npu_sim *sim = device;
	uint32_t key = rnv_critical_enter();
	int status = sim->behaviour.load_status;

	(void)pkg; /* kernels read the weights where they lie */
	sim->counts.loaded += (status == RNV_OK) ? 1u : 0u;
	rnv_critical_exit(key);
	return status;
}

/* The outcome of a request that begins now. */
static uint8_t next_outcome(struct rnv_npu_sim_behaviour *behaviour)
{
	uint8_t outcome = behaviour->outcome;

	if (behaviour->requests != 0u) {
		behaviour->requests--;
		if (behaviour->requests == 0u) {
			behaviour->outcome = RNV_NPU_SIM_WORKS;
		}
	}
	return outcome;
}

static int sim_invoke(void *device, const struct rnv_npu_request *request)
{
	struct rnv_npu_sim *sim = device;
	uint64_t now_us = rnv_now_us();
	uint32_t key = rnv_critical_enter();
	uint8_t outcome = next_outcome(&sim->behaviour);
	uint32_t latency_us = sim->behaviour.latency_us;

	if (sim->phase != IDLE || sim->suspended != 0u || outcome == RNV_NPU_SIM_REFUSES) {
		rnv_critical_exit(key);
		return RNV_EIO;
	}
	sim->exec = *request->exec;
	sim->serial = request->serial;
	sim->outcome = outcome;
	sim->status = (outcome == RNV_NPU_SIM_WORKS) ? RNV_OK : RNV_EIO;
	sim->due_us = (outcome == RNV_NPU_SIM_SILENT) ? UINT64_MAX : now_us + latency_us;
	sim->phase = PENDING;
	sim->counts.invoked++;
	rnv_critical_exit(key);
	if (latency_us == 0u) {
		rnv_npu_sim_poll(sim, now_us);
	} else {
		kick(sim);
	}
	return RNV_OK;
}

static void sim_abort(void *device, uint32_t serial)
{
	struct rnv_npu_sim *sim = device;
	uint64_t now_us = rnv_now_us();
	uint32_t key = rnv_critical_enter();
	bool pending = sim->phase == PENDING && sim->serial == serial;

	if (pending) {
		sim->counts.aborted++;
		if (sim->behaviour.abort == RNV_NPU_SIM_STOPS) {
			sim->status = RNV_ECANCELED;
			sim->outcome = RNV_NPU_SIM_WORKS; /* spoils nothing */
			sim->due_us = now_us + sim->behaviour.abort_latency_us;
		} else if (sim->behaviour.abort == RNV_NPU_SIM_HANGS) {
			sim->due_us = UINT64_MAX;
		}
	}
	rnv_critical_exit(key);
	if (pending) {
		kick(sim);
	}
}

static int sim_suspend(void *device)
{
	struct rnv_npu_sim *sim = device;
	uint32_t key = rnv_critical_enter();
	int status = sim->behaviour.suspend_status;

	if (status == RNV_OK) {
		sim->suspended = 1;
	}
	rnv_critical_exit(key);
	return status;
}

static int sim_resume(void *device)
{
	struct rnv_npu_sim *sim = device;
	uint32_t key = rnv_critical_enter();
	int status = sim->behaviour.resume_status;

	if (status == RNV_OK) {
		sim->suspended = 0;
	}
	rnv_critical_exit(key);
	return status;
}

/* Drop the pending request, if the other context is not just busy with it. */
static bool drop(struct rnv_npu_sim *sim)
{
	uint32_t key = rnv_critical_enter();
	bool dropped = sim->phase != WORKING && sim->sending == 0u;

	if (dropped) {
		sim->phase = IDLE;
		sim->counts.resets++;
	}
	rnv_critical_exit(key);
	return dropped;
}

static int sim_reset(void *device)
{
	struct rnv_npu_sim *sim = device;
	struct rnv_npu_sim_behaviour behaviour;

	rnv_npu_sim_get(sim, &behaviour);
	if (behaviour.reset_status != RNV_OK) {
		return RNV_EIO;
	}
	while (!drop(sim)) {
		if (sim->config.relax != NULL) {
			sim->config.relax(sim->config.context);
		}
	}
	return RNV_OK;
}

const struct rnv_npu_driver rnv_npu_sim_driver = {
	.caps = sim_caps,
	.load = sim_load,
	.invoke = sim_invoke,
	.abort = sim_abort,
	.suspend = sim_suspend,
	.resume = sim_resume,
	.reset = sim_reset,
};

const struct rnv_npu_driver rnv_npu_sim_simple_driver = {
	.caps = sim_caps,
	.load = sim_load,
	.invoke = sim_invoke,
	.abort = sim_abort,
};
