/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <stddef.h>
#include <string.h>

#include "ranvier/exec.h"
#include "ranvier/port.h"
#include "ranvier/status.h"
#include "sched/npu_request.h"

#include "contract.h"

#define GUARD   16
#define POISON  0x5C
#define QUANTUM 50u /* microseconds */

/* All memory of a run, between guards. */
struct world {
	_Alignas(16) uint8_t before[GUARD];
	_Alignas(16) uint8_t arena[NPU_CONTRACT_ARENA];
	_Alignas(16) uint8_t between[GUARD];
	_Alignas(16) uint8_t external[NPU_CONTRACT_SLOTS][NPU_CONTRACT_EXTERNAL + GUARD];
};

/* The same run twice: `cpu` is executed by the kernels, `device` by the device. */
struct suite {
	const struct npu_contract_device *dev;
	const struct rnv_package *pkg;
	struct world cpu;
	struct world device;
	struct world saved;
	struct rnv_exec cpu_exec;
	struct rnv_exec device_exec;
	void *cpu_slots[NPU_CONTRACT_SLOTS];
	void *device_slots[NPU_CONTRACT_SLOTS];
	uint32_t seed;
};

static struct suite suite;

#define MUST(condition, text)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			return text;                                                               \
		}                                                                                  \
	} while (0)

#define CHECK(call)                                                                                \
	do {                                                                                       \
		const char *broken = (call);                                                       \
                                                                                                   \
		if (broken != NULL) {                                                              \
			return broken;                                                             \
		}                                                                                  \
	} while (0)

/* --- runs ------------------------------------------------------------------------------------ */

static void fill(struct world *world, uint32_t seed)
{
	uint8_t *bytes = (uint8_t *)world;

	memset(world, POISON, sizeof(*world));
	for (size_t i = offsetof(struct world, external); i < sizeof(*world); i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

static bool open_run(struct rnv_exec *exec, struct world *world, void **slots)
{
	const struct rnv_package *pkg = suite.pkg;

	fill(world, suite.seed);
	if (rnv_exec_init(exec, pkg, world->arena, NPU_CONTRACT_ARENA, slots, NPU_CONTRACT_SLOTS) !=
	    RNV_OK) {
		return false;
	}
	for (uint16_t i = 0; rnv_package_tensor(pkg, i) != NULL; i++) {
		const struct rnv_tensor_rec *rec = rnv_package_tensor(pkg, i);

		if (rec->storage == RNV_STORAGE_EXTERNAL && rec->flags != 0u &&
		    (rec->bytes > NPU_CONTRACT_EXTERNAL ||
		     rnv_exec_bind(exec, i, world->external[rec->offset], rec->bytes) != RNV_OK)) {
			return false;
		}
	}
	return rnv_exec_start(exec, 0) == RNV_OK;
}

/* Both runs at the beginning, with the same contents everywhere. */
static const char *begin(void)
{
	suite.seed = suite.seed * 1664525u + 1013904223u;
	MUST(open_run(&suite.cpu_exec, &suite.cpu, suite.cpu_slots) &&
		     open_run(&suite.device_exec, &suite.device, suite.device_slots),
	     "the suite: a package that fits");
	return NULL;
}

static bool marked(uint16_t step)
{
	return (suite.pkg->steps[step].flags & RNV_STEP_NPU) != 0u;
}

static void both_by_cpu(void)
{
	(void)rnv_exec_step(&suite.cpu_exec);
	(void)rnv_exec_step(&suite.device_exec);
}

/* Both runs before their first marked step. */
static const char *begin_at_marked(void)
{
	CHECK(begin());
	while (!marked(rnv_exec_next(&suite.cpu_exec))) {
		both_by_cpu();
	}
	suite.saved = suite.device;
	return NULL;
}

static const struct rnv_op_rec *next_op(void)
{
	return &suite.pkg->ops[suite.pkg->steps[rnv_exec_next(&suite.device_exec)].op];
}

/* Where the next step may write anything: make both worlds the same there. */
static void ignore_scratch(struct world *one, const struct world *other)
{
	const struct rnv_op_rec *op = next_op();

	memcpy(one->arena + op->scratch_offset, other->arena + op->scratch_offset,
	       op->scratch_bytes);
}

static void ignore_outputs(struct world *one, const struct world *other)
{
	const struct rnv_op_rec *op = next_op();

	for (uint32_t i = 0; i < op->output_count; i++) {
		const struct rnv_tensor_rec *rec = rnv_package_tensor(
			suite.pkg, suite.pkg->operands[op->operand_first + op->input_count + i]);

		if (rec->storage == RNV_STORAGE_EXTERNAL) {
			memcpy(one->external[rec->offset], other->external[rec->offset],
			       rec->bytes);
		} else {
			memcpy(one->arena + rec->offset, other->arena + rec->offset, rec->bytes);
		}
	}
}

static bool same(const struct world *one, const struct world *other)
{
	return memcmp(one, other, sizeof(*one)) == 0;
}

/* --- requests -------------------------------------------------------------------------------- */

static void pass(uint32_t us)
{
	suite.dev->pass(suite.dev->context, us);
}

static struct rnv_npu_info info(void)
{
	struct rnv_npu_info result;

	rnv_npu_info_get(suite.dev->npu, &result);
	return result;
}

static int request(uint32_t *serial)
{
	return rnv_npu_request(suite.dev->npu, &suite.device_exec, 0, rnv_now_us(), serial);
}

/* Wait for the end for at most so long. */
static bool wait_end(uint32_t us, struct rnv_npu_end *end)
{
	for (uint32_t waited = 0; !rnv_npu_take(suite.dev->npu, end); waited += QUANTUM) {
		if (waited >= us) {
			return false;
		}
		pass(QUANTUM);
	}
	return true;
}

/* After the end nothing may change any more, and no other event may come. */
static const char *quiet(uint32_t late)
{
	suite.saved = suite.device;
	pass(2u * suite.dev->slow_us);
	MUST(same(&suite.saved, &suite.device), "invoke: no access after the event");
	MUST(info().late == late, "invoke: exactly one event");
	return NULL;
}

/* Request a marked step: all that the CPU writes, nothing else. Then go on by CPU. */
static const char *one_step(bool wait_quiet)
{
	const struct rnv_exec exec = suite.device_exec;
	const struct world before = suite.device;
	struct world scratch;
	struct rnv_npu_end end;
	uint32_t late = info().late;
	uint32_t serial = 0;

	MUST(request(&serial) == RNV_OK, "invoke: a request after the other");
	MUST(wait_end(2u * suite.dev->slow_us, &end),
	     (info().late == late) ? "invoke: an event" : "event: the request's serial");
	MUST(end.status == RNV_OK, "event: RNV_OK for a request that worked");
	MUST(memcmp(&exec, &suite.device_exec, sizeof(exec)) == 0, "request: only to be read");
	MUST(memcmp(suite.device_slots, exec.externals, sizeof(suite.device_slots)) == 0,
	     "request: only to be read");
	if (wait_quiet) {
		CHECK(quiet(late));
	}
	scratch = suite.device;
	(void)rnv_exec_step(&suite.cpu_exec);
	ignore_scratch(&scratch, &suite.cpu);
	if (!same(&scratch, &suite.cpu)) {
		ignore_outputs(&scratch, &suite.cpu);
		return same(&scratch, &suite.cpu) ? "invoke: writes what the CPU writes"
						  : "invoke: writes nothing else";
	}
	suite.device = before; /* a step in place needs its input again */
	(void)rnv_exec_step(&suite.device_exec);
	return NULL;
}

static const char *check_run(bool wait_quiet)
{
	CHECK(begin());
	for (uint16_t step = 0; step < suite.pkg->entries[0].step_count; step++) {
		if (marked(rnv_exec_next(&suite.device_exec))) {
			CHECK(one_step(wait_quiet));
		} else {
			both_by_cpu();
		}
	}
	MUST(same(&suite.cpu, &suite.device), "the suite: both runs are the same");
	return NULL;
}

/* --- checks ---------------------------------------------------------------------------------- */

static const char *check_caps(void)
{
	const struct rnv_npu_driver *driver = suite.dev->driver;
	const struct rnv_npu_caps *caps = driver->caps(suite.dev->device);
	const struct rnv_npu_caps copy = *caps;

	for (int i = 0; i < 3; i++) {
		MUST(driver->caps(suite.dev->device) == caps, "caps: the same pointer");
	}
	MUST(memcmp(&copy, caps, sizeof(copy)) == 0, "caps: constant");
	return NULL;
}

static const char *check_runs(void)
{
	MUST(rnv_npu_load(suite.dev->npu, suite.pkg) == RNV_OK, "load: a package with its ops");
	for (int i = 0; i < 3; i++) {
		CHECK(check_run(true));
	}
	for (int i = 0; i < 50; i++) {
		CHECK(check_run(false)); /* a request follows the event at once */
	}
	return NULL;
}

static const char *check_refusal(void)
{
	uint32_t serial = 0;

	CHECK(begin_at_marked());
	MUST(request(&serial) == RNV_EIO, "invoke: refuses");
	pass(2u * suite.dev->slow_us);
	MUST(info().late == 0u, "invoke: no event where it refuses");
	MUST(same(&suite.saved, &suite.device), "invoke: no access where it refuses");
	return NULL;
}

static const char *check_fault(void)
{
	struct rnv_npu_end end;
	uint32_t serial = 0;

	CHECK(begin_at_marked());
	MUST(request(&serial) == RNV_OK, "invoke: accepts");
	MUST(wait_end(2u * suite.dev->slow_us, &end), "event: one for a fault");
	MUST(end.status == RNV_EIO, "event: an error for a fault");
	ignore_scratch(&suite.saved, &suite.device);
	ignore_outputs(&suite.saved, &suite.device);
	MUST(same(&suite.saved, &suite.device), "invoke: writes nothing else, in a fault");
	CHECK(quiet(0));
	return NULL;
}

static const char *check_foreign_abort(void)
{
	struct rnv_npu_end end;
	uint32_t serial = 0;

	suite.dev->driver->abort(suite.dev->device, 12345);
	pass(QUANTUM);
	MUST(info().late == 0u, "abort: nothing where none is pending");
	CHECK(begin_at_marked());
	MUST(request(&serial) == RNV_OK, "invoke: accepts");
	suite.dev->driver->abort(suite.dev->device, serial + 1u);
	suite.dev->driver->abort(suite.dev->device, serial - 1u);
	MUST(wait_end(4u * suite.dev->slow_us, &end), "invoke: an event");
	MUST(end.status == RNV_OK, "abort: only its serial");
	return NULL;
}

static const char *check_abort(void)
{
	const struct rnv_npu_caps *caps = suite.dev->driver->caps(suite.dev->device);
	struct rnv_npu_end end;
	uint32_t serial = 0;

	CHECK(begin_at_marked());
	MUST(request(&serial) == RNV_OK, "invoke: accepts");
	rnv_npu_abort(suite.dev->npu, serial, rnv_now_us());
	MUST(wait_end((caps->abort_us != 0u) ? caps->abort_us : 4u * suite.dev->slow_us, &end),
	     (caps->abort_us != 0u) ? "abort: confirmed in abort_us" : "abort: confirmed");
	MUST(end.confirmed, "abort: confirmed by an event");
	CHECK(quiet(0));
	return check_run(true); /* usable afterwards */
}

static const char *check_suspend(void)
{
	if (suite.dev->driver->suspend == NULL) {
		return NULL;
	}
	for (int i = 0; i < 2; i++) {
		MUST(rnv_npu_suspend(suite.dev->npu) == RNV_OK, "suspend: works");
		pass(QUANTUM);
		MUST(rnv_npu_resume(suite.dev->npu) == RNV_OK, "resume: works");
		MUST(check_run(true) == NULL, "resume: what was loaded is loaded");
	}
	return NULL;
}

/* A device that hangs: time-out, quarantine, reset. */
static const char *check_reset(void)
{
	struct rnv_npu *npu = suite.dev->npu;
	const struct rnv_npu_caps *caps = suite.dev->driver->caps(suite.dev->device);
	struct rnv_npu_end end;
	uint32_t serial = 0;
	uint64_t then = rnv_now_us() + caps->timeout_us;

	CHECK(begin_at_marked());
	MUST(request(&serial) == RNV_OK, "invoke: accepts");
	rnv_npu_expire(npu, then + 1000000u);
	rnv_npu_expire(npu, then + 10000000u + caps->abort_us + caps->timeout_us);
	MUST(rnv_npu_take(npu, &end) && !end.confirmed, "the suite: the device hangs");
	if (suite.dev->driver->reset == NULL) {
		return NULL;
	}
	(void)suite.dev->mode(suite.dev->context, NPU_CONTRACT_WORK);
	MUST(rnv_npu_recover(npu) == RNV_OK, "reset: works");
	MUST(rnv_npu_take(npu, &end) && end.confirmed, "the suite: the zombie ends");
	suite.saved = suite.device;
	pass(2u * suite.dev->slow_us);
	MUST(same(&suite.saved, &suite.device), "reset: no access afterwards");
	MUST(info().late == 0u, "reset: no event afterwards");
	MUST(check_run(true) == NULL, "reset: usable again");
	return NULL;
}

/* --- the suite ------------------------------------------------------------------------------- */

static const struct {
	const char *(*check)(void);
	enum npu_contract_mode mode;
} all_checks[] = {
	{check_caps, NPU_CONTRACT_WORK},          {check_runs, NPU_CONTRACT_WORK},
	{check_refusal, NPU_CONTRACT_REFUSE},     {check_fault, NPU_CONTRACT_FAULT},
	{check_foreign_abort, NPU_CONTRACT_SLOW}, {check_abort, NPU_CONTRACT_SLOW},
	{check_suspend, NPU_CONTRACT_WORK},       {check_reset, NPU_CONTRACT_HANG},
};

const char *npu_contract_run(const struct npu_contract_device *device,
			     const struct rnv_package *pkg, uint32_t *checks)
{
	const uint32_t crc = rnv_crc32(0, pkg->header, pkg->header->total_bytes);

	suite.dev = device;
	suite.pkg = pkg;
	suite.seed = 1;
	*checks = 0;
	for (size_t i = 0; i < sizeof(all_checks) / sizeof(all_checks[0]); i++) {
		if (!device->mode(device->context, all_checks[i].mode)) {
			continue;
		}
		MUST(rnv_npu_init(device->npu, device->driver, device->device) == RNV_OK,
		     "driver: complete");
		CHECK(all_checks[i].check());
		MUST(rnv_crc32(0, pkg->header, pkg->header->total_bytes) == crc,
		     "invoke: the package is only read");
		(*checks)++;
	}
	return NULL;
}
