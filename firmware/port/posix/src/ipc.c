/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#define _GNU_SOURCE /* ppoll() */

#include <posix/ipc.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const side_names[] = {"server", "client"};

/* The pipe of a side; reading and writing, so that it opens and stays without the other side. */
static int open_pipe(const char *path, uint32_t side)
{
	char name[PATH_MAX];
	const int length = snprintf(name, sizeof(name), "%s.%s", path, side_names[side]);
	struct stat info;
	int pipe;

	if (length < 0 || (size_t)length >= sizeof(name)) {
		return -ENAMETOOLONG;
	}
	if (mkfifo(name, 0600) != 0 && errno != EEXIST) {
		return -errno;
	}
	pipe = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (pipe < 0) {
		return -errno;
	}
	if (fstat(pipe, &info) != 0 || !S_ISFIFO(info.st_mode)) {
		(void)close(pipe);
		return -EINVAL;
	}
	return pipe;
}

/* Map a file of at least so many bytes; it is never made shorter. */
static int map_file(struct rnv_posix_ipc *ipc, const char *path)
{
	struct stat info;
	void *memory;
	int status;

	ipc->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
	if (ipc->file < 0) {
		return errno == EISDIR ? -EINVAL : -errno;
	}
	if (fstat(ipc->file, &info) != 0 || !S_ISREG(info.st_mode)) {
		return -EINVAL;
	}
	status = posix_fallocate(ipc->file, 0, (off_t)ipc->bytes);
	if (status != 0) {
		return -status;
	}
	memory = mmap(NULL, ipc->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ipc->file, 0);
	if (memory == MAP_FAILED) {
		return -errno;
	}
	ipc->region = memory;
	return 0;
}

static int open_pipes(struct rnv_posix_ipc *ipc, const char *path, uint32_t side)
{
	ipc->mine = open_pipe(path, side);
	if (ipc->mine < 0) {
		return ipc->mine;
	}
	/* The kernel lets go of it when the process ends, however that happens. */
	if (flock(ipc->mine, LOCK_EX | LOCK_NB) != 0) {
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	}
	ipc->theirs = open_pipe(path, 1u - side);
	return ipc->theirs < 0 ? ipc->theirs : 0;
}

int rnv_posix_ipc_open(struct rnv_posix_ipc *ipc, const char *path, uint32_t bytes, uint32_t side)
{
	int status;

	if (ipc == NULL || path == NULL || bytes == 0u || side > RNV_POSIX_IPC_CLIENT) {
		return -EINVAL;
	}
	*ipc = (struct rnv_posix_ipc){.bytes = bytes, .file = -1, .mine = -1, .theirs = -1};
	status = open_pipes(ipc, path, side);
	if (status == 0) {
		status = map_file(ipc, path);
	}
	if (status != 0) {
		rnv_posix_ipc_close(ipc);
	}
	return status;
}

void rnv_posix_ipc_close(struct rnv_posix_ipc *ipc)
{
	const int open[] = {ipc->file, ipc->theirs, ipc->mine};

	if (ipc->region != NULL) {
		(void)munmap(ipc->region, ipc->bytes);
	}
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
		if (open[i] >= 0) {
			(void)close(open[i]);
		}
	}
	*ipc = (struct rnv_posix_ipc){.file = -1, .mine = -1, .theirs = -1};
}

/* A full pipe rings already. Who reads from a pipe sees what was stored before it was written to.
 */
static void ring(int pipe)
{
	const int before = errno;
	ssize_t written;

	do {
		written = write(pipe, "", 1);
	} while (written < 0 && errno == EINTR);
	errno = before;
}

void rnv_posix_ipc_ring(void *ipc)
{
	ring(((const struct rnv_posix_ipc *)ipc)->theirs);
}

void rnv_posix_ipc_wake(void *ipc)
{
	ring(((const struct rnv_posix_ipc *)ipc)->mine);
}

int rnv_posix_ipc_wait(struct rnv_posix_ipc *ipc, uint32_t timeout_us)
{
	struct pollfd poll = {.fd = ipc->mine, .events = POLLIN};
	const struct timespec timeout = {.tv_sec = (time_t)(timeout_us / 1000000u),
					 .tv_nsec = (long)(timeout_us % 1000000u) * 1000};
	char bytes[256];

	if (ppoll(&poll, 1, &timeout, NULL) <= 0) {
		return 0;
	}
	/* What is left rings again. */
	return read(ipc->mine, bytes, sizeof(bytes)) > 0;
}
