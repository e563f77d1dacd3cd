/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <posix/smp.h>
#include <ranvier/package.h>

#define ARENA_BYTES  (4u << 20)
#define BUFFER_BYTES 4096u
#define TRIAL_BOOTS  5u
#define MOST_ARENA   (1u << 30)

enum {
	OPTION_FLASH = 1,
	OPTION_LAYOUT,
	OPTION_KEYS,
	OPTION_UNSIGNED,
	OPTION_PTY,
	OPTION_TCP,
	OPTION_STDIO,
	OPTION_BAUD,
	OPTION_BUFFER,
	OPTION_ARENA,
	OPTION_ISA,
	OPTION_TRIAL,
	OPTION_CUT,
	OPTION_SEED,
	OPTION_FAULT,
	OPTION_INHERIT,
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option table[] = {
	{"flash", required_argument, NULL, OPTION_FLASH},
	{"layout", required_argument, NULL, OPTION_LAYOUT},
	{"keys", required_argument, NULL, OPTION_KEYS},
	{"allow-unsigned", no_argument, NULL, OPTION_UNSIGNED},
	{"pty", no_argument, NULL, OPTION_PTY},
	{"tcp", required_argument, NULL, OPTION_TCP},
	{"stdio", no_argument, NULL, OPTION_STDIO},
	{"baud", required_argument, NULL, OPTION_BAUD},
	{"buffer", required_argument, NULL, OPTION_BUFFER},
	{"arena", required_argument, NULL, OPTION_ARENA},
	{"isa", required_argument, NULL, OPTION_ISA},
	{"trial-boots", required_argument, NULL, OPTION_TRIAL},
	{"cut", required_argument, NULL, OPTION_CUT},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"fault", required_argument, NULL, OPTION_FAULT},
	{"inherit", required_argument, NULL, OPTION_INHERIT},
	{"help", no_argument, NULL, OPTION_HELP},
	{"version", no_argument, NULL, OPTION_VERSION},
	{NULL, 0, NULL, 0},
};

static const char help[] =
	"ranvier-sim --flash FILE: a device with models in a flash file\n"
	"\n"
	"  --flash FILE       the flash's content; made where it is missing\n"
	"  --layout FILE      models and their slots (as ranvier image); \"default\"\n"
	"  --keys FILE        public keys of packages, PEM\n"
	"  --allow-unsigned   take packages that are not signed: for development\n"
	"  --pty              two pseudo terminals, for SMP and for the shell (default)\n"
	"  --tcp PORT         SMP on this port of 127.0.0.1, the shell on the next; 0: any\n"
	"  --stdio            SMP and shell on standard input and output\n"
	"  --baud N           pace the link as a serial line would\n"
	"  --buffer BYTES     longest SMP message (4096)\n"
	"  --arena A[,B,C]    bytes of the lanes' arenas: realtime, normal, best effort (4 MiB)\n"
	"  --isa LIST         packings that are fast here: generic, dsp, base (all)\n"
	"  --trial-boots N    boots until a trial that is not confirmed is over (5)\n"
	"  --cut N            cut the power in the Nth erase or program; exit code 70\n"
	"  --seed S           of what a cut leaves behind\n"
	"  --fault N:KIND:TEAR[:UNIT]\n"
	"                     in the Nth erase or program: cut, fail or lie; what is left: old, "
	"new,\n"
	"                     bits, bad, unstable, mixed, weak; repeatable\n";

static void stop(const char *what, const char *value)
{
	(void)fprintf(stderr, "ranvier-sim: %s %s; try --help\n", what, value);
	exit(2);
}

static uint64_t number(const char *what, const char *text, uint64_t least, uint64_t most)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least ||
	    value > most) {
		stop(what, text);
	}
	return value;
}

/* Number of a word in a list that ends with NULL. */
static uint32_t word(const char *what, const char *text, const char *const *words)
{
	uint32_t i = 0;

	while (words[i] != NULL && strcmp(words[i], text) != 0) {
		i++;
	}
	if (words[i] == NULL) {
		stop(what, text);
	}
	return i;
}

static void read_arenas(struct sim_options *options, char *text)
{
	char *rest = text;
	const char *piece;
	uint32_t lane = 0;

	while ((piece = strsep(&rest, ",")) != NULL && lane < SIM_LANES) {
		options->arena_bytes[lane++] =
			(uint32_t)number("--arena", piece, 16, MOST_ARENA) & ~15u;
	}
	for (; lane < SIM_LANES; lane++) {
		options->arena_bytes[lane] = options->arena_bytes[lane - 1u];
	}
}

static void read_isas(struct sim_options *options, char *text)
{
	static const char *const names[] = {"generic", "dsp", "base", NULL};
	static const uint32_t isas[] = {RNV_ISA_GENERIC, RNV_ISA_DSP, RNV_ISA_BASE};
	char *rest = text;
	const char *piece;

	options->isa_fast = 0;
	while ((piece = strsep(&rest, ",")) != NULL) {
		options->isa_fast |= 1u << isas[word("--isa", piece, names)];
	}
}

static void read_fault(struct sim_options *options, char *text)
{
	static const char *const kinds[] = {"", "cut", "fail", "lie", NULL};
	static const char *const tears[] = {"old",      "new",   "bits", "bad",
					    "unstable", "mixed", "weak", NULL};
	char *rest = text;
	const char *op = strsep(&rest, ":");
	const char *kind = strsep(&rest, ":");
	const char *tear = strsep(&rest, ":");
	struct rnv_posix_flash_fault *fault = &options->faults[options->fault_count];

	if (kind == NULL || kind[0] == '\0' || tear == NULL ||
	    options->fault_count == RNV_POSIX_FLASH_FAULTS - 1u) {
		stop("--fault", "is N:KIND:TEAR[:UNIT], at most 7 times");
	}
	fault->op = (uint32_t)number("--fault", op, 1, UINT32_MAX) - 1u;
	fault->kind = word("--fault", kind, kinds);
	fault->tear = word("--fault", tear, tears);
	fault->unit = (rest != NULL) ? (uint32_t)number("--fault", rest, 0, UINT32_MAX - 1u)
				     : RNV_POSIX_FLASH_ANY;
	options->fault_count++;
}

/* "A,B,C,D": what sim_restart() writes. */
static void read_inherited(struct sim_options *options, char *text)
{
	char *rest = text;

	for (uint32_t i = 0; i < 4u; i++) {
		const char *piece = strsep(&rest, ",");

		options->inherited[i] = (piece != NULL) ? atoi(piece) : -1;
	}
}

static void take_link(struct sim_options *options, int option)
{
	switch (option) {
	case OPTION_PTY:
		options->link = SIM_PTY;
		break;
	case OPTION_TCP:
		options->link = SIM_TCP;
		options->port = (uint32_t)number("--tcp", optarg, 0, 65535);
		break;
	case OPTION_STDIO:
		options->link = SIM_STDIO;
		break;
	case OPTION_BAUD:
		options->baud = (uint32_t)number("--baud", optarg, 1, 1000000000);
		break;
	case OPTION_BUFFER:
		options->buffer_bytes = (uint32_t)number("--buffer", optarg, RNV_POSIX_SMP_LEAST,
							 RNV_POSIX_SMP_MOST);
		break;
	default:
		read_inherited(options, optarg);
		break;
	}
}

static void take_flash(struct sim_options *options, int option)
{
	switch (option) {
	case OPTION_FLASH:
		options->flash = optarg;
		break;
	case OPTION_CUT:
		options->cut = (uint32_t)number("--cut", optarg, 0, UINT32_MAX);
		break;
	case OPTION_SEED:
		options->seed = number("--seed", optarg, 0, UINT64_MAX);
		options->has_seed = 1;
		break;
	default:
		read_fault(options, optarg);
		break;
	}
}

static void take(struct sim_options *options, int option)
{
	switch (option) {
	case OPTION_LAYOUT:
		options->layout = optarg;
		break;
	case OPTION_KEYS:
		options->keys = optarg;
		break;
	case OPTION_UNSIGNED:
		options->allow_unsigned = 1;
		break;
	case OPTION_ARENA:
		read_arenas(options, optarg);
		break;
	case OPTION_ISA:
		read_isas(options, optarg);
		break;
	case OPTION_TRIAL:
		options->trial_boots =
			(uint32_t)number("--trial-boots", optarg, 1, RNV_STORE_MAX_TRIES);
		break;
	case OPTION_FLASH:
	case OPTION_CUT:
	case OPTION_SEED:
	case OPTION_FAULT:
		take_flash(options, option);
		break;
	case OPTION_HELP:
		(void)fputs(help, stdout);
		exit(0);
	case OPTION_VERSION:
		(void)puts("ranvier-sim " RANVIER_VERSION);
		exit(0);
	default:
		take_link(options, option);
		break;
	}
}

void sim_options_read(struct sim_options *options, int argc, char **argv)
{
	int option;

	*options = (struct sim_options){
		.layout = "default",
		.buffer_bytes = BUFFER_BYTES,
		.arena_bytes = {ARENA_BYTES, ARENA_BYTES, ARENA_BYTES},
		.isa_fast = 1u << RNV_ISA_GENERIC | 1u << RNV_ISA_DSP | 1u << RNV_ISA_BASE,
		.trial_boots = TRIAL_BOOTS,
		.inherited = {-1, -1, -1, -1},
	};
	while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (option == '?') {
			exit(2); /* getopt has said why */
		}
		take(options, option);
	}
	if (optind != argc) {
		stop("cannot use", argv[optind]);
	}
	if (options->flash == NULL) {
		stop("no", "--flash FILE");
	}
}
