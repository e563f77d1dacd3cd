/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The suite against the simulated accelerator in virtual time, and against drivers that break one
 * MUST each: the suite has to name it.
 */

#define _POSIX_C_SOURCE 200809L

#include "model.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract.h"
#include "npu_sim/npu_sim.h"
#include "ranvier/port.h"

#define LATENCY_US 100u
#define SLOW_US    1000u
#define ABORT_US   300u

static uint64_t now_us;

uint32_t rnv_critical_enter(void)
{
	return 0;
}

void rnv_critical_exit(uint32_t key)
{
	(void)key;
}

uint64_t rnv_now_us(void)
{
	return now_us;
}

static struct image image;
static struct rnv_package pkg;

/* --- the simulated accelerator --------------------------------------------------------------- */

static struct rnv_npu npu;
static struct rnv_npu_sim sim;
static uint32_t latency_us;

static void sim_pass(void *context, uint32_t us)
{
	(void)context;
	now_us += us;
	rnv_npu_sim_poll(&sim, now_us);
}

static bool sim_mode(void *context, enum npu_contract_mode mode)
{
	struct rnv_npu_sim_behaviour behaviour = {.latency_us = latency_us,
						  .abort_latency_us = latency_us};

	(void)context;
	switch (mode) {
	case NPU_CONTRACT_SLOW:
		behaviour.latency_us = SLOW_US;
		break;
	case NPU_CONTRACT_HANG:
		behaviour.outcome = RNV_NPU_SIM_SILENT;
		behaviour.abort = RNV_NPU_SIM_HANGS;
		break;
	case NPU_CONTRACT_FAULT:
		behaviour.outcome = RNV_NPU_SIM_FAULTS;
		break;
	case NPU_CONTRACT_REFUSE:
		behaviour.outcome = RNV_NPU_SIM_REFUSES;
		break;
	default:
		break;
	}
	rnv_npu_sim_set(&sim, &behaviour);
	return true;
}

static void run_sim(const struct rnv_npu_driver *driver, uint32_t abort_us)
{
	const struct rnv_npu_sim_config config = {.timeout_us = 10000, .abort_us = abort_us};
	const struct npu_contract_device device = {driver,   &sim, &npu,   sim_pass,
						   sim_mode, NULL, SLOW_US};
	uint32_t checks;

	rnv_npu_sim_init(&sim, &npu, &config);
	assert_null(npu_contract_run(&device, &pkg, &checks));
	assert_int_equal(checks, 8);
}

static void test_sim(void **state)
{
	(void)state;
	latency_us = LATENCY_US;
	run_sim(&rnv_npu_sim_driver, ABORT_US);
	run_sim(&rnv_npu_sim_driver, 0);
	run_sim(&rnv_npu_sim_simple_driver, ABORT_US);
	latency_us = 0; /* events before invoke returns */
	run_sim(&rnv_npu_sim_driver, ABORT_US);
}

/* --- drivers that break a MUST --------------------------------------------------------------- */

enum breach {
	NONE,
	CAPS_MOVE,
	NO_EVENT,
	TWO_EVENTS,
	OTHER_SERIAL,
	FAILS_WHEN_IT_WORKED,
	WRITES_AFTER_EVENT,
	WRITES_BEYOND,
	WRITES_INPUT,
	WRITES_PACKAGE,
	WRONG_OUTPUT,
	MOVES_EXEC,
	NOT_READY_AFTER_EVENT,
	EVENT_WHEN_REFUSED,
	WRITES_WHEN_REFUSED,
	FAULT_IS_OK,
	FAULT_WITHOUT_EVENT,
	FAULT_WRITES_BEYOND,
	ABORT_WHEN_IDLE,
	ABORT_ANY_SERIAL,
	ABORT_NOT_CONFIRMED,
	ABORT_SLOW,
	ABORT_TWICE,
	ABORT_WAITS,
	RESUME_FORGETS,
	RESET_THEN_EVENT,
	RESET_THEN_WRITES,
	RESET_LEAVES_IT_STUCK,
	BREACH_COUNT,
};

static const char *const expected[BREACH_COUNT] = {
	[NONE] = NULL,
	[CAPS_MOVE] = "caps: the same pointer",
	[NO_EVENT] = "invoke: an event",
	[TWO_EVENTS] = "invoke: exactly one event",
	[OTHER_SERIAL] = "event: the request's serial",
	[FAILS_WHEN_IT_WORKED] = "event: RNV_OK for a request that worked",
	[WRITES_AFTER_EVENT] = "invoke: no access after the event",
	[WRITES_BEYOND] = "invoke: writes nothing else",
	[WRITES_INPUT] = "invoke: writes nothing else",
	[WRITES_PACKAGE] = "invoke: the package is only read",
	[WRONG_OUTPUT] = "invoke: writes what the CPU writes",
	[MOVES_EXEC] = "request: only to be read",
	[NOT_READY_AFTER_EVENT] = "invoke: a request after the other",
	[EVENT_WHEN_REFUSED] = "invoke: no event where it refuses",
	[WRITES_WHEN_REFUSED] = "invoke: no access where it refuses",
	[FAULT_IS_OK] = "event: an error for a fault",
	[FAULT_WITHOUT_EVENT] = "event: one for a fault",
	[FAULT_WRITES_BEYOND] = "invoke: writes nothing else, in a fault",
	[ABORT_WHEN_IDLE] = "abort: nothing where none is pending",
	[ABORT_ANY_SERIAL] = "abort: only its serial",
	[ABORT_NOT_CONFIRMED] = "abort: confirmed in abort_us",
	[ABORT_SLOW] = "abort: confirmed in abort_us",
	[ABORT_TWICE] = "invoke: exactly one event",
	[ABORT_WAITS] = NULL, /* never returns */
	[RESUME_FORGETS] = "resume: what was loaded is loaded",
	[RESET_THEN_EVENT] = "reset: no event afterwards",
	[RESET_THEN_WRITES] = "reset: no access afterwards",
	[RESET_LEAVES_IT_STUCK] = "reset: usable again",
};

/* A device as small as can be. */
struct toy {
	struct rnv_npu npu;
	struct rnv_npu_caps caps[2];
	struct rnv_exec exec;
	enum npu_contract_mode mode;
	enum breach breach;
	uint64_t due_us;
	uint64_t ended_us;
	uint32_t serial;
	int status;
	int asked;
	bool pending;
	bool forgot;
	bool stuck;
	bool haunted; /* something happens after a reset */
};

static struct toy toy;

static bool breaks(enum breach breach)
{
	return toy.breach == breach;
}

static uint8_t *output(void)
{
	const struct rnv_op_rec *op = &pkg.ops[pkg.steps[toy.exec.step].op];

	return rnv_exec_tensor(&toy.exec, pkg.operands[op->operand_first + op->input_count]);
}

static uint8_t *input(void)
{
	return rnv_exec_tensor(&toy.exec,
			       pkg.operands[pkg.ops[pkg.steps[toy.exec.step].op].operand_first]);
}

static void toy_write(void)
{
	struct rnv_exec exec = toy.exec;

	if (toy.status == RNV_OK || breaks(FAULT_IS_OK)) {
		(void)rnv_exec_step(&exec);
	}
	output()[1] ^= breaks(WRONG_OUTPUT) ? 1 : 0;
	input()[0] ^= breaks(WRITES_INPUT) ? 1 : 0;
	output()[-1] ^= breaks(WRITES_BEYOND) ? 1 : 0;
	image.labels[0] ^= breaks(WRITES_PACKAGE) ? 1 : 0;
	output()[0] ^= (toy.mode == NPU_CONTRACT_FAULT) ? 1 : 0;
	input()[0] ^= (toy.mode == NPU_CONTRACT_FAULT && breaks(FAULT_WRITES_BEYOND)) ? 1 : 0;
}

static void toy_end(void)
{
	bool faulty = toy.mode == NPU_CONTRACT_FAULT;

	toy.pending = false;
	toy.ended_us = now_us;
	toy.stuck = breaks(NOT_READY_AFTER_EVENT);
	if (breaks(NO_EVENT) || (faulty && breaks(FAULT_WITHOUT_EVENT))) {
		return;
	}
	if (breaks(FAILS_WHEN_IT_WORKED)) {
		toy.status = RNV_EIO;
	}
	rnv_npu_event(&toy.npu, toy.serial + (breaks(OTHER_SERIAL) ? 1u : 0u),
		      (faulty && breaks(FAULT_IS_OK)) ? RNV_OK : toy.status);
	if (breaks(TWO_EVENTS) || (breaks(ABORT_TWICE) && toy.status == RNV_ECANCELED)) {
		rnv_npu_event(&toy.npu, toy.serial, toy.status);
	}
}

static void toy_pass(void *context, uint32_t us)
{
	(void)context;
	now_us += us;
	if (toy.pending && now_us >= toy.due_us) {
		if (toy.status != RNV_ECANCELED) {
			toy_write();
		}
		toy_end();
	} else if (toy.ended_us != 0 && !toy.pending) {
		output()[0] ^= breaks(WRITES_AFTER_EVENT) ? 1 : 0;
		toy.ended_us = 0;
	}
	if (toy.haunted) {
		toy.haunted = false;
		output()[0] ^= breaks(RESET_THEN_WRITES) ? 1 : 0;
		if (breaks(RESET_THEN_EVENT)) {
			rnv_npu_event(&toy.npu, toy.serial, RNV_OK);
		}
	}
}

static bool toy_mode(void *context, enum npu_contract_mode mode)
{
	(void)context;
	toy.mode = mode;
	return true;
}

static const struct rnv_npu_caps *toy_caps(void *device)
{
	(void)device;
	toy.asked++;
	return &toy.caps[breaks(CAPS_MOVE) ? toy.asked % 2 : 0];
}

static int toy_load(void *device, const struct rnv_package *package)
{
	(void)device;
	(void)package;
	return RNV_OK;
}

static int toy_invoke(void *device, const struct rnv_npu_request *request)
{
	(void)device;
	if (toy.pending || toy.forgot || toy.stuck) {
		return RNV_EIO;
	}
	toy.exec = *request->exec;
	toy.serial = request->serial;
	if (toy.mode == NPU_CONTRACT_REFUSE) {
		output()[0] ^= breaks(WRITES_WHEN_REFUSED) ? 1 : 0;
		toy.pending = breaks(EVENT_WHEN_REFUSED);
		toy.due_us = now_us;
		return RNV_EIO;
	}
	if (breaks(MOVES_EXEC)) {
		((struct rnv_exec *)(uintptr_t)request->exec)->step++;
	}
	toy.status = (toy.mode == NPU_CONTRACT_FAULT) ? RNV_EIO : RNV_OK;
	toy.due_us = now_us + ((toy.mode == NPU_CONTRACT_SLOW) ? SLOW_US : LATENCY_US);
	toy.due_us = (toy.mode == NPU_CONTRACT_HANG) ? UINT64_MAX : toy.due_us;
	toy.pending = true;
	return RNV_OK;
}

static void toy_abort(void *device, uint32_t serial)
{
	(void)device;
	if (breaks(ABORT_WHEN_IDLE) && !toy.pending) {
		rnv_npu_event(&toy.npu, serial, RNV_ECANCELED);
	}
	if (!toy.pending || toy.mode == NPU_CONTRACT_HANG ||
	    (serial != toy.serial && !breaks(ABORT_ANY_SERIAL)) || breaks(ABORT_NOT_CONFIRMED)) {
		return;
	}
	while (breaks(ABORT_WAITS) && toy.pending) {
		pause(); /* for the event, which this context would have to send */
	}
	toy.status = RNV_ECANCELED;
	toy.due_us = now_us + (breaks(ABORT_SLOW) ? 2u * ABORT_US : LATENCY_US);
}

static int toy_suspend(void *device)
{
	(void)device;
	toy.forgot = breaks(RESUME_FORGETS);
	return RNV_OK;
}

static int toy_resume(void *device)
{
	(void)device;
	return RNV_OK;
}

static int toy_reset(void *device)
{
	(void)device;
	toy.pending = false;
	toy.ended_us = 0;
	toy.haunted = true;
	toy.stuck = breaks(RESET_LEAVES_IT_STUCK);
	return RNV_OK;
}

static const struct rnv_npu_driver toy_driver = {toy_caps,    toy_load,   toy_invoke, toy_abort,
						 toy_suspend, toy_resume, toy_reset};

static const char *run_toy(enum breach breach)
{
	const struct npu_contract_device device = {&toy_driver, &toy, &toy.npu, toy_pass,
						   toy_mode,    NULL, SLOW_US};
	uint32_t checks;

	model_open(&image, &pkg);
	memset(&toy, 0, sizeof(toy));
	toy.breach = breach;
	for (int i = 0; i < 2; i++) {
		toy.caps[i].name = "toy";
		toy.caps[i].timeout_us = 10000;
		toy.caps[i].abort_us = ABORT_US;
		rnv_opset_get(toy.caps[i].opset);
	}
	return npu_contract_run(&device, &pkg, &checks);
}

static void test_each_must_can_be_broken(void **state)
{
	(void)state;
	for (int breach = NONE; breach < BREACH_COUNT; breach++) {
		const char *broken = (breach != ABORT_WAITS) ? run_toy((enum breach)breach) : NULL;

		if (expected[breach] == NULL) {
			assert_null(broken);
		} else {
			assert_non_null(broken);
			assert_string_equal(broken, expected[breach]);
		}
	}
}

/* An abort that waits for its own confirmation never returns: an alarm ends that process. */
static void test_abort_that_waits(void **state)
{
	int status = 0;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		(void)signal(SIGALRM, SIG_DFL);
		(void)alarm(1);
		(void)run_toy(ABORT_WAITS);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGALRM);
}

static int setup(void **state)
{
	(void)state;
	model_open(&image, &pkg);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_sim, setup),
		cmocka_unit_test(test_each_must_can_be_broken),
		cmocka_unit_test(test_abort_that_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
