/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef POSIX_SMP_H_
#define POSIX_SMP_H_

/**
 * @file
 * @brief An SMP server on a pseudo terminal, a TCP port or two files: a device's serial line.
 *
 * It speaks MCUmgr's serial framing among lines of text, which go to the caller, and answers
 * Ranvier's group (`mgmt/smp.h`) and what standard clients ask first: echo, reset and the size of
 * buffers, of the OS group. Requests of version 1 and 2 are answered, errors as MCUmgr does.
 *
 * A line can be paced: in both directions a byte then takes ten bits of the baud rate.
 *
 * Functions may be called from any thread where nothing else is said, none from a signal handler.
 */

#include <stdint.h>

#include "mgmt/smp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNV_POSIX_SMP_LEAST 256   /**< Least of rnv_posix_smp_config.message_bytes. */
#define RNV_POSIX_SMP_MOST  16384 /**< Most of it. */

/** What a server works on. Copied; what it points to is the server's for its life. */
struct rnv_posix_smp_config {
	const struct rnv_smp *smp; /**< Ranvier's group */
	uint32_t message_bytes;    /**< longest message, either way: RNV_POSIX_SMP_LEAST.._MOST */
	uint32_t baud;             /**< bits in a second; 0: as fast as it goes */
	/**
	 * A line of text, perhaps empty: `bytes` at `text`, without its end. May answer by
	 * rnv_posix_smp_write(). From the server's thread. NULL: text is dropped.
	 */
	void (*line)(void *context, const char *text, uint32_t bytes);
	/** The reset that a host has asked for, after the reply was sent. From the server's thread.
	 * NULL: there is no such command. */
	void (*reset)(void *context);
	/** The input has ended, and with it the server's thread. Not on a TCP port. From that
	 * thread. NULL: nothing. */
	void (*ended)(void *context);
	void *context; /**< first argument of each */
};

/** Where a server listens: file descriptors, which stay the caller's. */
struct rnv_posix_smp_line {
	int in;       /**< to read from; -1: see `listener` */
	int out;      /**< to write to; may be the same */
	int listener; /**< socket that listens; one connection at a time is taken. -1: none */
};

struct rnv_posix_smp;

/**
 * Answer a request, without a line.
 *
 * @param config  of a server
 * @param request SMP message
 * @param bytes   its length
 * @param reply   receives the reply
 * @param room    its size, at least RNV_POSIX_SMP_LEAST
 * @param reset   receives 1 where the reply was to a reset, else 0
 * @return length of the reply; 0: there is none, as the message is no request
 */
uint32_t rnv_posix_smp_answer(const struct rnv_posix_smp_config *config, const uint8_t *request,
			      uint32_t bytes, uint8_t *reply, uint32_t room, uint32_t *reset);

/**
 * Start a server, with a thread of its own.
 *
 * @param server receives it, on the heap, for rnv_posix_smp_stop()
 * @param config copied
 * @param line   copied
 * @retval RNV_OK     running
 * @retval RNV_EINVAL a size out of range, or no line
 * @retval RNV_ENOMEM no memory, or the system refuses a thread or a pipe
 */
int rnv_posix_smp_start(struct rnv_posix_smp **server, const struct rnv_posix_smp_config *config,
			const struct rnv_posix_smp_line *line);

/**
 * Write text to whoever is at the other end; waits for that, but not for ever. Only from `line`.
 *
 * @param server server
 * @param text   need not be terminated by a zero
 * @param bytes  its length
 */
void rnv_posix_smp_write(struct rnv_posix_smp *server, const char *text, uint32_t bytes);

/** End the server, at the end of the request under way, and free it. Not from a callback. */
void rnv_posix_smp_stop(struct rnv_posix_smp *server);

/**
 * Make a pseudo terminal: raw, and open at both ends, so that it stays when a host closes it.
 *
 * @param line  receives its descriptors, which are closed by the caller, or by exec()
 * @param slave receives that of the host's end, likewise
 * @param path  receives its name, zero-terminated
 * @param room  size of `path`
 * @return RNV_OK, or a negated errno
 */
int rnv_posix_pty_open(struct rnv_posix_smp_line *line, int *slave, char *path, uint32_t room);

/**
 * Name of the host's end of a pseudo terminal.
 *
 * @param line as of rnv_posix_pty_open()
 * @param path receives it, zero-terminated
 * @param room size of `path`
 * @return RNV_OK, or a negated errno
 */
int rnv_posix_pty_name(const struct rnv_posix_smp_line *line, char *path, uint32_t room);

/**
 * Listen on a TCP port of 127.0.0.1.
 *
 * @param line receives the socket, which is closed by the caller, or by exec()
 * @param port port; 0: any that is free
 * @return RNV_OK, or a negated errno
 */
int rnv_posix_tcp_listen(struct rnv_posix_smp_line *line, uint32_t port);

/** The port that a line listens on; 0: none. */
uint32_t rnv_posix_tcp_port(const struct rnv_posix_smp_line *line);

#ifdef __cplusplus
}
#endif

#endif /* POSIX_SMP_H_ */
