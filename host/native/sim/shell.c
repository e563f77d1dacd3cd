/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "shell.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_WORDS 12
#define LINE_BYTES 160

static const char prompt[] = "ranvier:~$ ";

struct command {
	const char *words; /* one or two */
	const char *usage;
	int least; /* words, with those of the command */
	int most;
	int (*run)(struct sim_shell *shell, int argc, char **argv);
};

void sim_shell_print(struct sim_shell *shell, const char *format, ...)
{
	char text[512];
	char *from = text;
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	while (*from != '\0') { /* line ends as terminals want them */
		size_t length = strcspn(from, "\n");

		rnv_posix_smp_write(shell->smp, from, (uint32_t)length);
		from += length;
		if (*from == '\n') {
			rnv_posix_smp_write(shell->smp, "\r\n", 2);
			from++;
		}
	}
}

static int run_version(struct sim_shell *shell, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	sim_shell_print(shell, "Ranvier " RANVIER_VERSION ", packages of format %u and ABI %u\n",
			RNV_PACKAGE_FORMAT, RNV_PACKAGE_ABI);
	return RNV_OK;
}

static const char *slot_state(uint32_t state)
{
	static const char *const states[] = {"empty", "filling", "good", "bad", "rejected"};

	return (state < sizeof(states) / sizeof(states[0])) ? states[state] : "?";
}

static void print_slot(struct sim_shell *shell, const struct rnv_server_model_info *info,
		       uint32_t number)
{
	static const char *const trials[] = {"", ", trial pending", ", on trial"};
	const struct rnv_server_slot *slot = &info->slots[number];

	sim_shell_print(shell, "  slot %u: %s", number, slot_state(slot->state));
	if (slot->bytes != 0u) {
		sim_shell_print(shell, ", version %u.%u.%u, %u bytes, security version %u",
				slot->version[0], slot->version[1], slot->version[2], slot->bytes,
				slot->security_version);
	}
	sim_shell_print(shell, "%s%s%s; filled %u times\n",
			(info->store.confirmed == number) ? ", confirmed" : "",
			(info->store.trial_slot == number) ? trials[info->store.trial % 3u] : "",
			(info->running == number) ? ", runs" : "", slot->fills);
}

static int run_models(struct sim_shell *shell, int argc, char **argv)
{
	struct rnv_server_model_info info;

	(void)argc;
	(void)argv;
	for (uint32_t i = 0; rnv_server_model_get(&shell->device->server, i, &info) == RNV_OK;
	     i++) {
		sim_shell_print(shell, "%u %s: slots of %u bytes, security version %u and above\n",
				i, info.store.name, info.store.slot_bytes, info.store.floor);
		print_slot(shell, &info, 0);
		print_slot(shell, &info, 1);
		sim_shell_print(shell, "  jobs %u, completed %u, failed %u\n", info.jobs,
				info.completed, info.failed);
		if (info.error != RNV_OK && info.error != RNV_ENOENT) { /* there is one */
			sim_shell_print(shell, "  not loaded: %d\n", info.error);
		}
	}
	return RNV_OK;
}

static int run_store(struct sim_shell *shell, int argc, char **argv)
{
	struct rnv_server_info info;

	(void)argc;
	(void)argv;
	rnv_server_info_get(&shell->device->server, &info);
	sim_shell_print(shell,
			"registry: generation %u, %u of %u entries, erased %u and %u times\n",
			info.store.generation, info.store.entries, info.store.room,
			info.store.erases[0], info.store.erases[1]);
	sim_shell_print(shell, "  entries that make no sense %u, marginal reads %u\n",
			info.store.bad_entries, info.store.marginal);
	for (uint32_t i = 0; i < info.key_count; i++) {
		sim_shell_print(shell, "key %08x\n", info.keys[i].id);
	}
	for (uint32_t i = 0; i < info.store.revoked_count; i++) {
		sim_shell_print(shell, "revoked %08x\n", info.store.revoked[i]);
	}
	if (info.unsigned_allowed != 0u) {
		sim_shell_print(shell, "unsigned packages are accepted\n");
	}
	return RNV_OK;
}

static int run_update(struct sim_shell *shell, int argc, char **argv)
{
	static const char *const phases[] = {"idle",  "receiving", "verifying", "testing",
					     "ready", "erasing",   "done",      "failed"};
	struct rnv_ota_status status;

	(void)argc;
	(void)argv;
	rnv_server_update_get(&shell->device->server, &status);
	sim_shell_print(shell, "update: %s", (status.phase < 8u) ? phases[status.phase] : "?");
	if (status.phase != RNV_OTA_IDLE) {
		sim_shell_print(shell, ", model %u slot %u, %u of %u bytes, error %d, why %u",
				status.model, status.slot, status.offset, status.bytes,
				status.error, status.why);
	}
	sim_shell_print(shell, "\n");
	return RNV_OK;
}

static int run_lane(struct sim_shell *shell, int argc, char **argv)
{
	struct rnv_lane_stats stats;
	int only = (argc > 1) ? sim_lane_find(argv[1]) : -1;

	if (argc > 1 && only < 0) {
		sim_shell_print(shell, "no lane \"%s\"; try: lane\n", argv[1]);
		return RNV_EINVAL;
	}
	for (int lane = 0; lane < SIM_LANES; lane++) {
		if (only >= 0 && lane != only) {
			continue;
		}
		(void)rnv_lane_stats_get(&shell->device->sched, (uint32_t)lane, &stats);
		sim_shell_print(shell,
				"%d %s: arena %u bytes, at most used %u; queued %u, at most %u\n",
				lane, sim_lane_names[lane], stats.arena_bytes,
				stats.arena_high_water, stats.queued, stats.most_queued);
		sim_shell_print(shell,
				"  submitted %u, completed %u, missed %u, failed %u, refused %u, "
				"preempted %u\n",
				stats.submitted, stats.completed, stats.missed, stats.failed,
				stats.refused, stats.preempted);
	}
	return RNV_OK;
}

static int run_flash(struct sim_shell *shell, int argc, char **argv)
{
	struct rnv_posix_flash_stats stats;
	uint32_t ops;

	(void)argc;
	(void)argv;
	sim_device_lock(shell->device);
	rnv_posix_flash_stats_get(&shell->device->flash, &stats);
	ops = rnv_posix_flash_ops(&shell->device->flash);
	sim_device_unlock(shell->device);
	sim_shell_print(shell,
			"flash: %llu erases, %llu programs of %llu units, %llu power cuts; %u "
			"operations since power-on\n",
			(unsigned long long)stats.erases, (unsigned long long)stats.programs,
			(unsigned long long)stats.units, (unsigned long long)stats.cuts, ops);
	if (stats.reprogrammed != 0u || stats.misused != 0u) {
		sim_shell_print(
			shell, "  BROKEN RULES: units programmed twice %llu, misused %llu\n",
			(unsigned long long)stats.reprogrammed, (unsigned long long)stats.misused);
	}
	return RNV_OK;
}

static int run_cut(struct sim_shell *shell, int argc, char **argv)
{
	struct rnv_posix_flash_fault fault = {.kind = RNV_POSIX_FLASH_CUT,
					      .tear = RNV_POSIX_FLASH_TEAR_MIXED,
					      .unit = RNV_POSIX_FLASH_ANY};
	uint32_t from_now = (argc > 2) ? (uint32_t)strtoul(argv[2], NULL, 10) : 1u;
	int status;

	if (from_now == 0u) {
		return RNV_EINVAL;
	}
	sim_device_lock(shell->device);
	fault.op = rnv_posix_flash_ops(&shell->device->flash) + from_now - 1u;
	status = rnv_posix_flash_script(&shell->device->flash, &fault);
	sim_device_unlock(shell->device);
	return status;
}

/* As a watchdog does: nothing that is under way is ended. */
static int run_reboot(struct sim_shell *shell, int argc, char **argv)
{
	(void)shell;
	(void)argc;
	(void)argv;
	(void)kill(getpid(), SIGUSR1);
	return RNV_OK;
}

static int run_retval(struct sim_shell *shell, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	sim_shell_print(shell, "%d\n", shell->code);
	return shell->code;
}

static int run_help(struct sim_shell *shell, int argc, char **argv);

static const struct command commands[] = {
	{"help", "", 1, 1, run_help},
	{"version", "", 1, 1, run_version},
	{"model list", "", 2, 2, run_models},
	{"store status", "", 2, 2, run_store},
	{"ota status", "", 2, 2, run_update},
	{"lane", "[LANE]", 1, 2, run_lane},
	{"job run", "MODEL [LANE] [--seed N]", 3, 6, sim_shell_run},
	{"flash status", "", 2, 2, run_flash},
	{"flash cut", "[N]: the power goes in the Nth operation from now on", 2, 3, run_cut},
	{"reboot", "", 1, 1, run_reboot},
	{"kernel reboot", "", 2, 3, run_reboot},
	{"retval", ": code of the last command", 1, 1, run_retval},
};

static int run_help(struct sim_shell *shell, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		sim_shell_print(shell, "%s %s\n", commands[i].words, commands[i].usage);
	}
	return RNV_OK;
}

static const struct command *find(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *words = commands[i].words;
		size_t first = strcspn(words, " ");

		if (strncmp(argv[0], words, first) == 0 && argv[0][first] == '\0' &&
		    (words[first] == '\0' ||
		     (argc > 1 && strcmp(argv[1], words + first + 1) == 0))) {
			return &commands[i];
		}
	}
	return NULL;
}

static int execute(struct sim_shell *shell, int argc, char **argv)
{
	const struct command *command;

	if (strcmp(argv[0], "ranvier") == 0 && argc > 1) {
		argc--; /* as on Zephyr, whose shell has other commands, too */
		argv++;
	}
	command = find(argc, argv);
	if (command == NULL) {
		sim_shell_print(shell, "no command \"%s\"; try: help\n", argv[0]);
		return RNV_ENOENT;
	}
	if (argc < command->least || argc > command->most) {
		sim_shell_print(shell, "usage: %s %s\n", command->words, command->usage);
		return RNV_EINVAL;
	}
	return command->run(shell, argc, argv);
}

/* Words of a line, in place; "two words" are one in quotes. */
static int split(char *line, char **argv)
{
	int argc = 0;

	while (argc < MOST_WORDS) {
		const char *ends;

		line += strspn(line, " \t");
		if (*line == '\0') {
			break;
		}
		ends = (*line == '"') ? "\"" : " \t";
		line += (*line == '"') ? 1 : 0;
		argv[argc++] = line;
		line += strcspn(line, ends);
		if (*line != '\0') {
			*line++ = '\0';
		}
	}
	return argc;
}

void sim_shell_line(void *context, const char *text, uint32_t bytes)
{
	struct sim_shell *shell = context;
	char line[LINE_BYTES];
	char *argv[MOST_WORDS];
	uint32_t length = 0;
	bool is_retval;
	int argc;

	for (uint32_t i = 0; i < bytes; i++) {
		if (text[i] == '\b' || text[i] == 0x7F) {
			length -= (length != 0u) ? 1u : 0u;
		} else if ((unsigned char)text[i] >= ' ' && length + 1u < sizeof(line)) {
			line[length++] = text[i];
		}
	}
	line[length] = '\0';
	argc = split(line, argv);
	if (argc != 0) {
		is_retval = strcmp(argv[0], "retval") == 0;
		shell->code = execute(shell, argc, argv);
		if (shell->code != RNV_OK && !is_retval) {
			sim_shell_print(shell, "error: %d\n", shell->code);
		}
	}
	sim_shell_print(shell, "%s", prompt);
}
