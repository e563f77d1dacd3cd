/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The first core: has the model, runs realtime jobs of its own, starts the second core if its image
 * is in order, and serves it.
 */

#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/park.h>
#include <ranvier/zephyr/second_core.h>
#include <ranvier/zephyr/service.h>

#include "local.h"
#include "ranvier_digits.h"
#include "stray.h"

#define CLIENT_LANES (BIT(RNV_LANE_NORMAL) | BIT(RNV_LANE_BEST_EFFORT))

static void serve(void)
{
	const int status = rnv_runtime_service_start(CLIENT_LANES);

	if (status != RNV_OK) {
		printk("service: %d\n", status);
	}
}

static void start_second_core(void)
{
	struct rnv_remote_header header;
	const int status = rnv_zephyr_second_core_start(&header);

	if (status == RNV_OK) {
		printk("second core: started, image of %u bytes\n", header.image_bytes);
	} else {
		printk("second core: not started (%d)\n", status);
	}
}

/* What a writer of its flash does around each operation. */
static void park(void)
{
	if (rnv_runtime_park_begin() == RNV_OK) {
		k_busy_wait(1000); /* the operation */
		(void)rnv_runtime_park_end();
	}
}

static void print_totals(void)
{
	const struct local_totals local = local_totals_get();
	struct rnv_service_stats client;
	struct rnv_runtime_parks parks;

	rnv_runtime_service_stats(&client);
	rnv_runtime_parks_get(&parks);
	printk("local: %u done, %u failed, %u other, most %u us\n", local.done, local.failed,
	       local.other, local.most_us);
	printk("client: bonded %u, %u bonds, %u dead, %u broken; %u requests, %u completed, "
	       "%u failed, %u refused, %u foreign, most %u at once\n",
	       client.bonded, client.bonds, client.dead, client.broken, client.requests,
	       client.completed, client.failed, client.refused, client.foreign, client.most_jobs);
	printk("parks: %u, %u late, %u left\n", parks.parks, parks.late, parks.left);
}

int main(void)
{
	const struct rnv_model_config digits = {
		.data = ranvier_digits,
		.bytes = sizeof(ranvier_digits),
		.lanes = BIT_MASK(RNV_LANE_COUNT),
	};
	uint32_t model;
	int status = rnv_runtime_model_open(&digits, &model, NULL);

	if (status != RNV_OK) {
		return status; /* which was logged */
	}
	if (IS_ENABLED(CONFIG_SAMPLE_SERVE_FIRST)) {
		serve();
	}
	start_second_core();
	local_start(model);
	if (!IS_ENABLED(CONFIG_SAMPLE_SERVE_FIRST)) {
		k_msleep(CONFIG_SAMPLE_PARK_PERIOD_MS);
		serve();
	}
	stray_run();
	for (int ms = 0; ms < CONFIG_SAMPLE_SECONDS * 1000; ms += CONFIG_SAMPLE_PARK_PERIOD_MS) {
		k_msleep(CONFIG_SAMPLE_PARK_PERIOD_MS);
		if (rnv_zephyr_second_core_runs()) {
			park();
		}
	}
	print_totals();
	printk("done\n");
	return 0;
}
