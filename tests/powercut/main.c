/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Cuts the power in every operation of every scenario, in every way, and sees what becomes of the
 * device. README.md says how to run it; judge.h what it is judged by.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"
#include "world.h"

#define FAR   4u /* program calls on both sides of one that is much like its neighbours */
#define TURNS 8u /* of its cases one in so many is run, others of the next one */

/* All that a case is. */
struct single {
	struct world_config config;
	uint32_t scenario;
	uint32_t step;
	struct cut first;
	struct cut second; /* at: NO_CUT where there is one cut only */
	uint32_t seed;
};

struct options {
	uint32_t sector; /* 0: all */
	uint32_t unit;
	const char *scenario;
	uint32_t sample;  /* one case of so many */
	uint32_t doubles; /* second cuts of each case */
	bool faults;
	bool keep_going;
	bool one; /* the case below */
	struct single single;
};

static struct options options = {.sample = 1, .doubles = 2, .faults = true};
static struct snapshot *before_step;
static struct snapshot *after_step;
static uint64_t counts[32][3]; /* of each scenario: cuts, double cuts, faults */
static uint64_t failures;
static uint32_t numbered; /* cases of this geometry, for sampling */

static uint32_t hashed(uint32_t a, uint32_t b)
{
	uint32_t x = a * 2654435761u ^ (b + 0x9E3779B9u) * 2246822519u;

	x = (x ^ x >> 15) * 2654435761u;
	return x ^ x >> 13;
}

static void report(const struct single *s)
{
	const struct scenario *scenario = &scenarios[s->scenario];

	failures++;
	printf("FAILED: %s\n  powercut --sector %u --unit %u --erased %u --erased-faults %u "
	       "--scenario %s --step %u --op %u --kind %u --tear %u --torn %u --seed %u",
	       world.broken, s->config.sector_bytes, s->config.unit_bytes, s->config.erased,
	       s->config.erased_faults, scenario->name, s->step, s->first.at, s->first.kind,
	       s->first.tear, s->first.unit, s->seed);
	if (s->second.at != NO_CUT) {
		printf(" --op2 %u --tear2 %u --torn2 %u", s->second.at, s->second.tear,
		       s->second.unit);
	}
	printf("\n");
	if (!options.keep_going && !options.one) {
		exit(1);
	}
}

/* --- one case ------------------------------------------------------------------------------------
 */

/* Until the step is through, or the power goes; then recover, perhaps with a second cut. */
static void run(const struct single *s)
{
	static volatile uint32_t stage;
	int left;

	stage = 0;
	world_arm(&s->first, s->seed);
	world.faulty = s->first.kind != RNV_POSIX_FLASH_CUT;
	world.judge.faulty = world.faulty;
	left = setjmp(world.back);
	if (left == LEAVE_BROKEN) {
		return;
	}
	if (left == LEAVE_CUT && stage == 2u && s->second.at == NO_CUT) {
		world.broken = "a cut that nobody asked for";
		return;
	}
	if (left == 0) {
		step_run(&scenarios[s->scenario].steps[s->step]);
		if (s->first.kind == RNV_POSIX_FLASH_CUT) {
			broken("the operation to be cut does not come");
		}
	}
	/* A second cut is counted from here; after it there is none. */
	world.faulty = false;
	world.judge.faulty = false;
	if (++stage == 1u) {
		const struct cut none = {.at = NO_CUT};

		world_arm(s->second.at == NO_CUT ? &none : &s->second, s->seed + 1u);
	}
	recover(s->seed);
}

/* Returns how many operations the recovery took, of which one may be cut as well. */
static uint32_t run_case(const struct single *s)
{
	snapshot_restore(before_step);
	world.broken = NULL;
	run(s);
	if (world.broken != NULL) {
		report(s);
	}
	return world.ops;
}

static void run_with_doubles(struct single *s)
{
	const uint32_t ops = run_case(s);

	counts[s->scenario][0]++;
	for (uint32_t i = 0; i < options.doubles && ops > 0u; i++) {
		const uint32_t drawn = hashed(s->seed, i);

		s->second = (struct cut){drawn % ops, RNV_POSIX_FLASH_CUT, (drawn >> 16) % 7u,
					 RNV_POSIX_FLASH_ANY};
		(void)run_case(s);
		counts[s->scenario][1]++;
	}
	s->second.at = NO_CUT;
}

/* --- the cases of one operation
 * -------------------------------------------------------------------- */

/* One case of the geometry, unless the sample leaves it out, or it is not the operation's turn. */
static bool is_taken(struct single *s, bool inner, uint32_t number)
{
	if (inner && (number + s->first.at) % TURNS != 0u) {
		return false;
	}
	numbered++;
	s->seed = hashed(numbered, s->config.sector_bytes ^ s->config.unit_bytes << 16);
	return options.sample == 1u || s->seed % options.sample == 0u;
}

static void cut_op(struct single *s, uint32_t units, bool inner)
{
	uint32_t number = 0;

	for (uint32_t tear = 0; tear <= RNV_POSIX_FLASH_TEAR_WEAK; tear++) {
		const bool one_unit =
			tear == RNV_POSIX_FLASH_TEAR_BITS || tear == RNV_POSIX_FLASH_TEAR_BAD ||
			tear == RNV_POSIX_FLASH_TEAR_UNSTABLE || tear == RNV_POSIX_FLASH_TEAR_WEAK;
		const uint32_t variants = one_unit && units > 1u               ? 3u
					  : tear == RNV_POSIX_FLASH_TEAR_MIXED ? 2u
									       : 1u;

		for (uint32_t i = 0; i < variants; i++) {
			s->first.kind = RNV_POSIX_FLASH_CUT;
			s->first.tear = tear;
			/* The first unit, the last one, one between. */
			s->first.unit = i == 0u ? 0u : i == 1u ? units - 1u : RNV_POSIX_FLASH_ANY;
			if (is_taken(s, inner, number++)) {
				run_with_doubles(s);
			}
		}
	}
}

/* Failures without a cut. */
static void fail_op(struct single *s, uint32_t units, bool inner)
{
	static const uint32_t tears[] = {RNV_POSIX_FLASH_TEAR_OLD, RNV_POSIX_FLASH_TEAR_NEW,
					 RNV_POSIX_FLASH_TEAR_BITS, RNV_POSIX_FLASH_TEAR_MIXED};

	for (uint32_t i = 0; i < 5u; i++) {
		s->first.kind = i == 0u ? RNV_POSIX_FLASH_LIE : RNV_POSIX_FLASH_FAIL;
		s->first.tear = i == 0u ? 0u : tears[i - 1u];
		s->first.unit = units / 2u;
		if (is_taken(s, inner, i)) {
			(void)run_case(s);
			counts[s->scenario][2]++;
		}
	}
}

/* --- all
 * -------------------------------------------------------------------------------------------- */

/* Run a step without a cut, from `before_step`. */
static void run_dry(const struct single *s, bool cut_from_here)
{
	const struct cut none = {.at = NO_CUT};
	int left;

	world_arm(&none, 1);
	world.broken = NULL;
	left = setjmp(world.back);
	if (left == 0) {
		step_run(&scenarios[s->scenario].steps[s->step]);
		return;
	}
	printf("%s, without a cut: ", cut_from_here ? "in a step" : "in the preparation");
	report(s);
	exit(1);
}

/* Whether an operation is one of many program calls of a slot in a row, and far from their ends. */
static bool is_inner(const struct op_seen *seen, uint32_t ops, uint32_t op)
{
	if (op < FAR || op + FAR >= ops) {
		return false;
	}
	for (uint32_t i = op - FAR; i <= op + FAR; i++) {
		if (seen[i].units == 0u || seen[i].registry) {
			return false;
		}
	}
	return true;
}

static void sweep_step(struct single *s)
{
	static struct op_seen seen[OPS_SEEN];
	const uint32_t ops = world.ops < OPS_SEEN ? world.ops : OPS_SEEN;

	memcpy(seen, world.seen, sizeof(seen));
	for (uint32_t op = 0; op < ops; op++) {
		const bool inner = is_inner(seen, ops, op);

		s->first.at = op;
		cut_op(s, seen[op].units, inner);
		if (options.faults) {
			fail_op(s, seen[op].units, inner);
		}
	}
}

static void sweep_scenario(const struct world_config *config, uint32_t number)
{
	const struct scenario *scenario = &scenarios[number];
	struct single s = {.config = *config, .scenario = number, .second = {.at = NO_CUT}};

	world_init(config);
	for (s.step = 0; scenario->steps[s.step].act != END; s.step++) {
		snapshot_take(before_step);
		run_dry(&s, s.step >= scenario->from);
		if (s.step >= scenario->from) {
			snapshot_take(after_step);
			if (options.one && s.step == options.single.step) {
				options.single.scenario = number;
				(void)run_case(&options.single);
			} else if (!options.one && scenario->steps[s.step].act != CROWD) {
				sweep_step(&s);
			}
			snapshot_restore(after_step);
		}
	}
}

static void sweep_geometry(const struct world_config *config)
{
	numbered = 0;
	for (uint32_t i = 0; i < scenario_count; i++) {
		if (options.scenario == NULL || strcmp(options.scenario, scenarios[i].name) == 0) {
			sweep_scenario(config, i);
		}
	}
}

static void sweep(void)
{
	static const uint32_t sectors[] = {4096, 8192, 16384};
	static const uint32_t units[] = {1, 4, 8, 16, 32, 128};

	for (uint32_t i = 0; i < 18u; i++) {
		struct world_config config = {sectors[i / 6u], units[i % 6u], 0xFF,
					      options.single.config.erased_faults};

		if ((options.sector != 0u && options.sector != config.sector_bytes) ||
		    (options.unit != 0u && options.unit != config.unit_bytes)) {
			continue;
		}
		if (options.one) {
			config = options.single.config;
		}
		sweep_geometry(&config);
		if (!options.one && config.unit_bytes == 16u) { /* the other kinds of erased */
			config.erased = 0x00;
			sweep_geometry(&config);
			config.erased = 0xFF;
			config.erased_faults = 1;
			sweep_geometry(&config);
		}
	}
}

static void print_table(void)
{
	uint64_t sums[3] = {0};

	printf("%-16s %10s %12s %10s\n", "scenario", "cuts", "double cuts", "faults");
	for (uint32_t i = 0; i < scenario_count; i++) {
		printf("%-16s %10llu %12llu %10llu\n", scenarios[i].name,
		       (unsigned long long)counts[i][0], (unsigned long long)counts[i][1],
		       (unsigned long long)counts[i][2]);
		for (uint32_t k = 0; k < 3u; k++) {
			sums[k] += counts[i][k];
		}
	}
	printf("%-16s %10llu %12llu %10llu\n", "all", (unsigned long long)sums[0],
	       (unsigned long long)sums[1], (unsigned long long)sums[2]);
	printf("powercut: %llu scenarios, %llu failed\n",
	       (unsigned long long)(sums[0] + sums[1] + sums[2]), (unsigned long long)failures);
}

/* --- arguments
 * --------------------------------------------------------------------------------------- */

static bool take_number(const char *name, uint32_t value)
{
	struct single *one = &options.single;
	const struct {
		const char *name;
		uint32_t *to;
		bool single;
	} numbers[] = {
		{"--sector", &options.sector, false},
		{"--unit", &options.unit, false},
		{"--sample", &options.sample, false},
		{"--doubles", &options.doubles, false},
		{"--erased", &one->config.erased, false},
		{"--erased-faults", &one->config.erased_faults, false},
		{"--step", &one->step, true},
		{"--op", &one->first.at, true},
		{"--kind", &one->first.kind, true},
		{"--tear", &one->first.tear, true},
		{"--torn", &one->first.unit, true},
		{"--seed", &one->seed, true},
		{"--op2", &one->second.at, true},
		{"--tear2", &one->second.tear, true},
		{"--torn2", &one->second.unit, true},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(name, numbers[i].name) == 0) {
			*numbers[i].to = value;
			options.one = options.one || numbers[i].single;
			return true;
		}
	}
	return false;
}

static int usage(void)
{
	fprintf(stderr, "usage: powercut [--sector N] [--unit N] [--scenario NAME] [--sample N] "
			"[--doubles N] [--keep-going], or as a failing case says\n");
	return 2;
}

int main(int count, char **arguments)
{
	struct single *one = &options.single;

	one->second = (struct cut){NO_CUT, RNV_POSIX_FLASH_CUT, 0, 0};
	one->config.erased = 0xFF;
	for (int i = 1; i < count; i++) {
		if (strcmp(arguments[i], "--keep-going") == 0) {
			options.keep_going = true;
		} else if (i + 1 == count) {
			return usage();
		} else if (strcmp(arguments[i], "--scenario") == 0) {
			options.scenario = arguments[++i];
		} else if (take_number(arguments[i],
				       (uint32_t)strtoul(arguments[i + 1], NULL, 0))) {
			i++;
		} else {
			return usage();
		}
	}
	one->config.sector_bytes = options.sector;
	one->config.unit_bytes = options.unit;
	if (options.sample == 0u || (options.one && (options.sector == 0u || options.unit == 0u))) {
		return usage();
	}
	before_step = snapshot_new();
	after_step = snapshot_new();
	if (before_step == NULL || after_step == NULL) {
		return 1;
	}
	sweep();
	if (!options.one) {
		print_table();
	} else if (failures == 0u) {
		printf("powercut: passed\n");
	}
	return failures == 0u ? 0 : 1;
}
