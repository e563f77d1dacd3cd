/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Lines for the SMP server: pseudo terminals and TCP ports. */

#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "posix/smp.h"
#include "ranvier/status.h"

#define WAITING 1 /* connections that the system keeps */

int rnv_posix_pty_name(const struct rnv_posix_smp_line *line, char *path, uint32_t room)
{
	int error = ptsname_r(line->in, path, room);

	return (error == 0) ? RNV_OK : -error;
}

static int make_raw(int slave)
{
	struct termios settings;

	if (tcgetattr(slave, &settings) != 0) {
		return -errno;
	}
	cfmakeraw(&settings);
	return (tcsetattr(slave, TCSANOW, &settings) == 0) ? RNV_OK : -errno;
}

int rnv_posix_pty_open(struct rnv_posix_smp_line *line, int *slave, char *path, uint32_t room)
{
	int status = RNV_OK;
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	*slave = -1;
	if (master < 0) {
		return -errno;
	}
	*line = (struct rnv_posix_smp_line){.in = master, .out = master, .listener = -1};
	if (grantpt(master) != 0 || unlockpt(master) != 0 ||
	    fcntl(master, F_SETFL, O_NONBLOCK) != 0) {
		status = -errno;
	}
	if (status == RNV_OK) {
		status = rnv_posix_pty_name(line, path, room);
	}
	if (status == RNV_OK) {
		*slave = open(path, O_RDWR | O_NOCTTY);
		status = (*slave >= 0) ? make_raw(*slave) : -errno;
	}
	if (status != RNV_OK) {
		(void)close(master);
		if (*slave >= 0) {
			(void)close(*slave);
		}
	}
	return status;
}

int rnv_posix_tcp_listen(struct rnv_posix_smp_line *line, uint32_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int on = 1;
	int status = RNV_OK;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (listener < 0) {
		return -errno;
	}
	/* A device that was just started again finds its port occupied by its old connections. */
	(void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(listener, WAITING) != 0 || fcntl(listener, F_SETFL, O_NONBLOCK) != 0) {
		status = -errno;
		(void)close(listener);
		return status;
	}
	*line = (struct rnv_posix_smp_line){.in = -1, .out = -1, .listener = listener};
	return RNV_OK;
}

uint32_t rnv_posix_tcp_port(const struct rnv_posix_smp_line *line)
{
	struct sockaddr_in address;
	socklen_t bytes = sizeof(address);

	return (getsockname(line->listener, (struct sockaddr *)&address, &bytes) == 0)
		       ? ntohs(address.sin_port)
		       : 0u;
}
