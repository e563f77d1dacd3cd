/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The second core's application: sends frames to the first core, which runs the model, and prints
 * what has become of them.
 */

#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include <ranvier/status.h>
#include <ranvier/zephyr/client.h>

#include "remote.h"

static struct remote_totals totals;

static void print_totals(uint32_t round)
{
	struct rnv_client_stats stats;
	struct rnv_client_result server;
	uint32_t parks;
	uint32_t left;

	rnv_zephyr_client_stats(&stats);
	rnv_zephyr_client_parks(&parks, &left);
	printk("round %u: %u right, %u wrong, %u cancelled, %u stale, %u failed; %u to %u us, "
	       "%u late\n",
	       round, totals.right, totals.wrong, totals.cancelled, totals.stale, totals.failed,
	       totals.least_us, totals.most_us, totals.late);
	printk("client: %u requests, %u responses, %u foreign; %u bonds, %u broken; %u parks, "
	       "%u left\n",
	       stats.requests, stats.responses, stats.foreign, stats.bonds, stats.broken, parks,
	       left);
	if (rnv_zephyr_client_status(&server) == RNV_OK) {
		printk("server: %u jobs, %u completed, %u refused\n", server.args[0],
		       server.args[1], server.args[2]);
	}
}

/* Rounds, until a side starts anew or there is no more to do. */
static uint32_t run(const struct rnv_ipc_model *model, uint32_t round)
{
	while (CONFIG_REMOTE_ROUNDS == 0 || round < CONFIG_REMOTE_ROUNDS) {
		if (round + 1u == CONFIG_REMOTE_RESTART_ROUND && totals.right != 0u) {
			remote_abandon(model);
			(void)rnv_zephyr_client_start();
			printk("the client starts anew\n");
			return round + 1u;
		}
		if (remote_round(model, &totals) != RNV_OK) {
			printk("the server is another one, or was lost\n");
			return round;
		}
		round++;
		print_totals(round);
		k_msleep(CONFIG_REMOTE_PERIOD_MS);
	}
	return round;
}

int main(void)
{
	uint32_t round = 0;
	int status = rnv_zephyr_client_start();

	if (status != RNV_OK) {
		printk("client: %d\n", status);
		return status;
	}
	while (CONFIG_REMOTE_ROUNDS == 0 || round < CONFIG_REMOTE_ROUNDS) {
		struct rnv_ipc_model model;

		(void)rnv_zephyr_client_wait_bonded(K_FOREVER);
		status = remote_find(&model);
		if (status == RNV_OK) {
			printk("model %s: %u bytes a slot, lanes 0x%x\n", CONFIG_REMOTE_MODEL,
			       model.bytes, model.lanes);
			round = run(&model, round);
		} else {
			printk("model %s: %d\n", CONFIG_REMOTE_MODEL, status);
			k_msleep(100);
		}
	}
	printk("done\n");
	return 0;
}
