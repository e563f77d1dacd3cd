/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * ranvier-sim: a device on this computer. Its flash is a file, its serial lines are pseudo
 * terminals or TCP ports. A reset is exec(): whatever is under way is gone, the flash file is what
 * is left.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "options.h"
#include "shell.h"

#define NAME_BYTES     64
#define OPTION_BYTES   64
#define RESET_DELAY_US 20000 /* for the reply to leave */

enum {
	LINE_SMP,
	LINE_SHELL,
	LINES,
};

static const char *const line_names[LINES] = {"smp", "shell"};

static struct sim_device device;
static struct rnv_posix_smp_line lines[LINES];
static struct sim_shell shells[LINES];
static uint32_t line_count;

static void stop_with(const char *what, int status)
{
	(void)fprintf(stderr, "ranvier-sim: %s: %s\n", what, strerror(-status));
	exit(SIM_EXIT_FAILED);
}

static void tell(const char *line, const char *kind, const char *where)
{
	(void)printf("%s: %s %s\n", line, kind, where);
}

static void open_pty(uint32_t i, const int *inherited)
{
	char path[NAME_BYTES];
	int slave;
	int status;

	if (inherited[i] >= 0) {
		lines[i] = (struct rnv_posix_smp_line){inherited[i], inherited[i], -1};
		status = rnv_posix_pty_name(&lines[i], path, sizeof(path));
	} else {
		status = rnv_posix_pty_open(&lines[i], &slave, path, sizeof(path));
	}
	if (status != RNV_OK) {
		stop_with("pseudo terminal", status);
	}
	tell(line_names[i], "pty", path);
}

static void open_tcp(uint32_t i, uint32_t port, const int *inherited)
{
	char text[NAME_BYTES];

	if (inherited[i] >= 0) {
		lines[i] = (struct rnv_posix_smp_line){-1, -1, inherited[i]};
	} else {
		int status = rnv_posix_tcp_listen(&lines[i], (port != 0u) ? port + i : 0u);

		if (status != RNV_OK) {
			stop_with("TCP port", status);
		}
	}
	(void)snprintf(text, sizeof(text), "%u", rnv_posix_tcp_port(&lines[i]));
	tell(line_names[i], "tcp", text);
}

static void open_lines(const struct sim_options *options)
{
	line_count = (options->link == SIM_STDIO) ? 1u : (uint32_t)LINES;
	for (uint32_t i = 0; i < line_count; i++) {
		if (options->link == SIM_PTY) {
			open_pty(i, options->inherited);
		} else if (options->link == SIM_TCP) {
			open_tcp(i, options->port, options->inherited);
		} else {
			lines[i] = (struct rnv_posix_smp_line){STDIN_FILENO, options->inherited[3],
							       -1};
		}
	}
	(void)fflush(stdout);
}

/* Called by threads of the server: the main thread does it. */
static void ask_reset(void *context)
{
	(void)context;
	(void)kill(getpid(), SIGUSR1);
}

static void ask_stop(void *context)
{
	(void)context;
	(void)kill(getpid(), SIGTERM);
}

static void start_lines(const struct sim_options *options)
{
	for (uint32_t i = 0; i < line_count; i++) {
		const struct rnv_posix_smp_config config = {.smp = &device.smp,
							    .message_bytes = options->buffer_bytes,
							    .baud = options->baud,
							    .line = sim_shell_line,
							    .reset = ask_reset,
							    .ended = ask_stop,
							    .context = &shells[i]};
		int status;

		shells[i].device = &device;
		status = rnv_posix_smp_start(&shells[i].smp, &config, &lines[i]);
		if (status != RNV_OK) {
			stop_with("SMP server", status);
		}
	}
}

/* Of --cut: it counts on through restarts. */
static uint32_t operations_left(void)
{
	uint32_t done;

	if (device.options.cut == 0u) {
		return 0;
	}
	sim_device_lock(&device);
	done = rnv_posix_flash_ops(&device.flash);
	sim_device_unlock(&device);
	return (device.options.cut > done) ? device.options.cut - done : 0u;
}

/* Start anew, on the same flash and the same lines. */
static void restart(int argc, char **argv)
{
	char inherited[OPTION_BYTES];
	char cut[OPTION_BYTES];
	char **args = calloc((size_t)argc + 5u, sizeof(*args));
	int ports[LINES];

	for (uint32_t i = 0; i < LINES; i++) {
		ports[i] = (device.options.link == SIM_TCP) ? lines[i].listener : lines[i].in;
	}
	(void)snprintf(inherited, sizeof(inherited), "%d,%d,-1,%d", ports[0], ports[1],
		       device.options.inherited[3]);
	(void)snprintf(cut, sizeof(cut), "%u", operations_left());
	(void)usleep(RESET_DELAY_US);
	if (args != NULL) {
		memcpy(args, argv, (size_t)argc * sizeof(*args));
		args[argc] = (char *)(uintptr_t) "--inherit";
		args[argc + 1] = inherited;
		args[argc + 2] = (char *)(uintptr_t) "--cut";
		args[argc + 3] = cut;
		(void)execv("/proc/self/exe", args);
	}
	perror("ranvier-sim: cannot restart");
	_exit(SIM_EXIT_FAILED);
}

/* With --stdio standard output is the line, so everything else goes to standard error. */
static void move_output(struct sim_options *options)
{
	if (options->link == SIM_STDIO && options->inherited[3] < 0) {
		options->inherited[3] = dup(STDOUT_FILENO);
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	}
}

int main(int argc, char **argv)
{
	struct sim_options options;
	sigset_t signals;
	int signal_number = 0;
	int status;

	sim_options_read(&options, argc, argv);
	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGINT);
	(void)sigaddset(&signals, SIGHUP);
	(void)sigaddset(&signals, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL); /* for sigwait(), in all threads */
	move_output(&options);
	status = sim_device_start(&device, &options);
	if (status != 0) {
		return status;
	}
	open_lines(&options);
	start_lines(&options);
	(void)sigwait(&signals, &signal_number);
	if (signal_number == SIGUSR1) {
		restart(argc, argv);
	}
	for (uint32_t i = 0; i < line_count; i++) {
		rnv_posix_smp_stop(shells[i].smp);
	}
	sim_device_stop(&device);
	return 0;
}
