/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* `job run`: a run through the server, with inputs from a seed, to its end. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ranvier/port.h>

#include "shell.h"

#define PAUSE_NS   1000000
#define MOST_TRIES 1000

struct order {
	uint32_t model;
	const struct rnv_package *pkg;
	uint32_t input_bytes;
	uint32_t seed;
	uint32_t lane;
	uint32_t id; /* of the run */
};

/*
 * Inputs as the Zephyr application's shell makes them: the upper bytes of x = x * 1664525 +
 * 1013904223, beginning with the seed; a float is 24 bits of it as a number from -1 to 1.
 */
static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x;
}

static void fill(const struct rnv_tensor_rec *rec, uint8_t *data, uint32_t *x)
{
	if (rec->type == RNV_TYPE_FLOAT32) {
		for (uint32_t i = 0; i < rec->bytes; i += (uint32_t)sizeof(float)) {
			float value = (float)(next_random(x) >> 8) / 8388608.0f - 1.0f;

			memcpy(data + i, &value, sizeof(value));
		}
		return;
	}
	for (uint32_t i = 0; i < rec->bytes; i++) {
		uint32_t mask = (rec->type == RNV_TYPE_BOOL) ? 1u : 0xFFu;

		data[i] = (uint8_t)(next_random(x) >> 24 & mask);
	}
}

static const struct rnv_tensor_rec *input(const struct rnv_package *pkg, uint16_t i)
{
	return rnv_package_tensor(pkg, rnv_package_input(pkg, 0, i));
}

static void pause_a_little(void)
{
	const struct timespec time = {.tv_nsec = PAUSE_NS};

	(void)nanosleep(&time, NULL);
}

static int submit(struct sim_shell *shell, const struct order *order, uint8_t *inputs)
{
	struct rnv_server *server = &shell->device->server;
	const struct rnv_server_run run = {.model = order->model,
					   .lane = order->lane,
					   .bytes = order->input_bytes,
					   .id = order->id,
					   .deadline_us = RNV_NEVER};
	const struct rnv_tensor_rec *rec;
	uint32_t x = order->seed;
	uint32_t at = 0;
	uint32_t offset, job;
	int status = rnv_server_run_begin(server, &run);

	for (uint16_t i = 0; (rec = input(order->pkg, i)) != NULL; i++) {
		fill(rec, inputs + at, &x);
		at += rec->bytes;
	}
	if (status == RNV_OK) {
		status = rnv_server_run_write(server, order->id, 0, inputs, at, &offset, &job);
	}
	for (uint32_t i = 0; i < MOST_TRIES && (status == RNV_EAGAIN || status == RNV_EBUSY); i++) {
		pause_a_little();
		status = rnv_server_run_write(server, order->id, 0, inputs, at, &offset, &job);
	}
	return status;
}

static void print_best(struct sim_shell *shell, const struct order *order, const uint8_t *outputs)
{
	const struct rnv_tensor_rec *rec =
		rnv_package_tensor(order->pkg, rnv_package_output(order->pkg, 0, 0));
	const int8_t *scores = (const int8_t *)outputs;
	uint32_t best = 0;
	const char *label;

	if (rec == NULL || rec->type != RNV_TYPE_INT8 || rec->rank == 0u ||
	    rec->bytes != rec->dims[rec->rank - 1u]) {
		return;
	}
	for (uint32_t i = 1; i < rec->bytes; i++) {
		best = (scores[i] > scores[best]) ? i : best;
	}
	label = rnv_package_label(order->pkg, (uint16_t)best);
	sim_shell_print(shell, "; top-1 %u%s%s%s, value %d", best, (label != NULL) ? " \"" : "",
			(label != NULL) ? label : "", (label != NULL) ? "\"" : "", scores[best]);
}

static int finish(struct sim_shell *shell, const struct order *order)
{
	struct rnv_server *server = &shell->device->server;
	struct rnv_server_run_status run;
	uint8_t *outputs;
	uint32_t taken = 0;
	int count;

	while (rnv_server_run_read(server, order->id, 0, NULL, 0, &run) == RNV_OK &&
	       run.state == RNV_SERVER_RUNNING) {
		pause_a_little();
	}
	if (run.state != RNV_SERVER_DONE) {
		return RNV_ESTATE;
	}
	if (run.status != RNV_OK) {
		return run.status;
	}
	outputs = malloc(run.bytes + 1u);
	if (outputs == NULL) {
		return RNV_ENOMEM;
	}
	while ((count = rnv_server_run_read(server, order->id, taken, outputs + taken,
					    run.bytes - taken, &run)) > 0) {
		taken += (uint32_t)count;
	}
	sim_shell_print(shell, "%s: ok after %u us\n  outputs crc 0x%08x",
			(const char *)rnv_package_header(order->pkg)->name, run.us,
			rnv_crc32(0, outputs, taken));
	if (taken == run.bytes) {
		print_best(shell, order, outputs);
	}
	sim_shell_print(shell, "\n");
	free(outputs);
	return RNV_OK;
}

static int parse(struct sim_shell *shell, int argc, char **argv, struct order *order)
{
	struct rnv_server *server = &shell->device->server;
	int model = rnv_server_find(server, argv[2], (uint32_t)strlen(argv[2]));

	if (model < 0) {
		sim_shell_print(shell, "no model \"%s\"; try: model list\n", argv[2]);
		return model;
	}
	*order = (struct order){.model = (uint32_t)model,
				.lane = RNV_SERVER_ANY_LANE,
				.id = (uint32_t)rnv_now_us()};
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
			i++;
			order->seed = (uint32_t)strtoul(argv[i], NULL, 10);
		} else if (sim_lane_find(argv[i]) >= 0) {
			order->lane = (uint32_t)sim_lane_find(argv[i]);
		} else {
			sim_shell_print(shell, "cannot use \"%s\"; try: help\n", argv[i]);
			return RNV_EINVAL;
		}
	}
	return RNV_OK;
}

int sim_shell_run(struct sim_shell *shell, int argc, char **argv)
{
	struct rnv_model_info info;
	const struct rnv_tensor_rec *rec;
	struct order order;
	uint8_t *inputs;
	int status = parse(shell, argc, argv, &order);

	if (status != RNV_OK) {
		return status;
	}
	status = rnv_model_info_get(&shell->device->sched,
				    rnv_server_handle(&shell->device->server, order.model), &info);
	if (status != RNV_OK) {
		sim_shell_print(shell, "%s is not loaded; try: model list\n", argv[2]);
		return status;
	}
	order.pkg = info.pkg;
	for (uint16_t i = 0; (rec = input(order.pkg, i)) != NULL; i++) {
		order.input_bytes += rec->bytes;
	}
	inputs = malloc(order.input_bytes + 1u);
	if (inputs == NULL) {
		return RNV_ENOMEM;
	}
	status = submit(shell, &order, inputs);
	free(inputs);
	return (status == RNV_OK) ? finish(shell, &order) : status;
}
