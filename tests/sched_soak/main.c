/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * sched_soak cooperative|threads JOBS SEED PACKAGE...: two packages for each model, in the order of
 * soak.h. Prints counters; exit code 1 and a message where something is not as it must be.
 */

#include <string.h>

#include "soak.h"

#define ROUND_JOBS 2000u

struct soak soak;

void soak_fail(const char *file, int line, const char *condition)
{
	(void)fprintf(stderr, "soak: %s, seed %llu, job %u, %llu us: %s:%d: %s: ",
		      soak.threads ? "threads" : "cooperative", (unsigned long long)soak.seed,
		      soak.accepted, (unsigned long long)soak.now_us, file, line, condition);
}

static void load(struct variant *variant, const char *path)
{
	FILE *file = fopen(path, "rb");
	long bytes;

	CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0, "%s", path);
	bytes = ftell(file);
	CHECK(bytes > 0 && fseek(file, 0, SEEK_SET) == 0, "%s", path);
	variant->bytes = (uint32_t)bytes;
	variant->data = aligned_alloc(16, ((size_t)bytes + 15u) / 16u * 16u);
	variant->arena = aligned_alloc(16, ARENA_BYTES);
	CHECK(variant->data != NULL && variant->arena != NULL, "memory");
	CHECK(fread(variant->data, 1, (size_t)bytes, file) == (size_t)bytes, "%s", path);
	(void)fclose(file);
	CHECK(rnv_package_open(&variant->pkg, variant->data, variant->bytes, 0, NULL) == RNV_OK,
	      "%s", path);
	CHECK(variant->pkg.step_count <= MAX_STEPS, "%s", path);
	for (uint32_t step = 0; step < variant->pkg.step_count; step++) {
		variant->is_marked |= (variant->pkg.steps[step].flags & RNV_STEP_NPU) != 0u;
	}
	for (uint32_t step = 0; step < MAX_STEPS; step++) {
		variant->cost_us[step] = 1u + soak_random(MAX_COST_US);
	}
}

static void make_subjects(char **paths)
{
	static const uint32_t lanes[MODELS] = {7, 3, 6, 7, 6, 2, 4};

	for (uint32_t m = 0; m < MODELS; m++) {
		for (uint32_t v = 0; v < VARIANTS; v++) {
			load(&soak.subjects[m].variants[v], paths[m * VARIANTS + v]);
		}
		soak.subjects[m].lanes = lanes[m];
	}
}

static void make_lanes(struct rnv_lane_config *configs)
{
	for (uint32_t l = 0; l < LANES; l++) {
		struct lane *lane = &soak.at[l];

		lane->depth = 1u + soak_random(MAX_DEPTH);
		lane->drops_oldest = soak_chance(50);
		lane->permits_atomic = soak_chance(50);
		lane->claim = MODELS;
		memset(soak.arenas[l], GUARD, sizeof(soak.arenas[l]));
		configs[l] = (struct rnv_lane_config){
			.arena = soak.arenas[l],
			.arena_bytes = ARENA_BYTES,
			.queue = soak.queues[l],
			.depth = (uint16_t)lane->depth,
			.overload =
				lane->drops_oldest ? RNV_OVERLOAD_DROP_OLDEST : RNV_OVERLOAD_REFUSE,
			.flags = lane->permits_atomic ? RNV_LANE_ATOMIC : 0u,
		};
	}
}

static void make_scheduler(void)
{
	struct rnv_lane_config lane_configs[LANES];
	const struct rnv_sched_config config = {
		.lane_configs = lane_configs,
		.lanes = soak.lanes,
		.jobs = soak.slots,
		.models = soak.models,
		.externals = soak.externals,
		.lane_count = LANES,
		.job_count = SLOTS,
		.model_count = MODELS,
		.externals_per_job = 4,
		.npu = &soak.npu,
		.hooks = &soak_hooks,
	};

	make_lanes(lane_configs);
	soak.sim_config.timeout_us = 150;
	soak.sim_config.abort_us = soak_chance(50) ? 30u : 0u;
	rnv_npu_sim_init(&soak.sim, &soak.npu, &soak.sim_config);
	CHECK(rnv_npu_init(&soak.npu, &rnv_npu_sim_driver, &soak.sim) == RNV_OK, "accelerator");
	soak.holder = NOBODY;
	CHECK(rnv_sched_init(&soak.sched, &config) == RNV_OK, "scheduler");
	for (uint32_t m = 0; m < MODELS; m++) {
		soak_open(m);
	}
}

static void print_lane(uint32_t l)
{
	const struct lane *lane = &soak.at[l];
	struct rnv_lane_stats s;

	(void)rnv_lane_stats_get(&soak.sched, l, &s);
	(void)printf(
		"lane %u: submitted %u completed %u missed %u cancelled %u dropped %u failed %u "
		"refused %u preempted %u most_queued %u longest_queued_us %u "
		"step_blocked_us %u step_limit_us %u atomic_blocked_us %u atomic_limit_us %u "
		"npu_blocked_us %llu npu_limit_us %u "
		"arena_high_water %u\n",
		l, s.submitted, s.completed, s.missed, s.cancelled, s.dropped, s.failed, s.refused,
		s.preempted, s.most_queued, s.longest_queued_us, s.longest_step_blocked_us,
		soak_longest_step(l), s.longest_atomic_blocked_us, soak_longest_job(l),
		(unsigned long long)lane->longest_npu_us, soak_longest_request(l),
		s.arena_high_water);
}

static void print(uint64_t began_us)
{
	struct rnv_npu_info info;

	rnv_npu_info_get(&soak.npu, &info);
	(void)printf("%s seed %llu: jobs %u compared %u virtual_ms %llu idle_ms %llu cancels %u "
		     "deadline_changes %u drains %u longest_cancelling_drain_us %llu swaps %u "
		     "kept_state %u reopened %u claims %u resident_jobs %u callback_actions %u\n",
		     soak.threads ? "threads" : "cooperative", (unsigned long long)soak.seed,
		     soak.accepted, soak.compared,
		     (unsigned long long)((soak.now_us - began_us) / 1000u),
		     (unsigned long long)(soak.idle_us / 1000u), soak.cancels,
		     soak.deadline_changes, soak.drains, (unsigned long long)soak.longest_drain_us,
		     soak.swaps, soak.swaps_kept, soak.reopened, soak.claims, soak.resident_jobs,
		     soak.callback_actions);
	for (uint32_t l = 0; l < LANES; l++) {
		print_lane(l);
	}
	(void)printf("npu: requests %u completed %u faults %u timeouts %u aborts %u late %u "
		     "quarantines %u recovered %u zombies %u fallbacks %u\n",
		     info.requests, info.completed, info.faults, info.timeouts, info.aborts,
		     info.late, info.quarantines, soak.recovered, soak.zombies, soak.fallbacks);
}

int main(int argc, char **argv)
{
	uint64_t began_us;
	uint32_t jobs;

	if (argc != (int)(4u + MODELS * VARIANTS)) {
		(void)fprintf(stderr,
			      "usage: sched_soak cooperative|threads JOBS SEED PACKAGE...\n");
		return 2;
	}
	soak.threads = strcmp(argv[1], "threads") == 0;
	jobs = (uint32_t)strtoul(argv[2], NULL, 10);
	soak.seed = strtoull(argv[3], NULL, 10);
	soak.random = soak.seed * 0x9E3779B97F4A7C15u + 1u;
	soak.mean_gap_us = 15u + soak_random(45);
	soak.now_us = soak_chance(50) ? 1000u : (1ull << 32) - soak_random(1000000);
	began_us = soak.now_us;
	make_subjects(argv + 4);
	make_scheduler();
	while (soak.accepted < jobs) {
		soak.wanted = soak.accepted + ROUND_JOBS;
		soak.wanted = (soak.wanted < jobs) ? soak.wanted : jobs;
		soak_run();
		soak_run_to_rest();
	}
	print(began_us);
	return 0;
}
