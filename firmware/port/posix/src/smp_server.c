/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The server's thread: takes a connection, tells frames from text, answers.
 *
 * Where the line is paced, a second thread reads it at its speed into a pipe, from which the first
 * one takes: what arrives while a request is answered is on the line at the same time.
 */

#define _GNU_SOURCE /* accept4(), pipe2() */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mgmt/frame.h"
#include "posix/smp.h"
#include "smp_pace.h"

#define READ_BYTES   512u
#define FRAME_EXTRA  4u   /* of a message: its length and CRC */
#define PEER_DEAD_MS 2000 /* that a host may take nothing, before text and replies are dropped */

struct rnv_posix_smp {
	struct rnv_posix_smp_config config;
	struct rnv_posix_smp_line line;
	struct rnv_frame frame;
	struct rnv_pace send;
	struct rnv_pace receive; /* the second thread's */
	pthread_t thread;
	pthread_t reader;
	int stop[2];  /* a pipe: its reading end ends when the threads shall */
	int queue[2]; /* the pipe between the threads */
	int in;       /* of the present connection */
	int out;
	bool deaf;       /* the host takes nothing */
	bool quiet;      /* within a line of a frame: no echo */
	bool unended;    /* text was written without its end */
	uint8_t before;  /* last byte */
	uint32_t column; /* bytes of the line */
	uint8_t *reply;
	uint8_t memory[]; /* of a message with its frame, then of a reply */
};

static bool write_piece(struct rnv_posix_smp *server, const uint8_t *data, uint32_t bytes)
{
	while (bytes != 0u) {
		ssize_t count;

		if (!rnv_pace_poll(server->out, POLLOUT, server->stop[0], PEER_DEAD_MS)) {
			return false;
		}
		count = write(server->out, data, bytes);
		if (count < 0 && errno != EAGAIN && errno != EINTR) {
			return false;
		}
		if (count > 0) {
			data += count;
			bytes -= (uint32_t)count;
		}
	}
	return true;
}

static void write_out(struct rnv_posix_smp *server, const uint8_t *data, uint32_t bytes)
{
	while (bytes != 0u && !server->deaf) {
		uint32_t piece = rnv_pace_piece(&server->send, bytes);

		server->deaf = !rnv_pace_wait(&server->send, piece, server->stop[0]) ||
			       !write_piece(server, data, piece);
		data += piece;
		bytes -= piece;
	}
}

void rnv_posix_smp_write(struct rnv_posix_smp *server, const char *text, uint32_t bytes)
{
	rnv_pace_begin(&server->send);
	write_out(server, (const uint8_t *)text, bytes);
	if (bytes != 0u) {
		server->unended = text[bytes - 1u] != '\n';
	}
}

static void answer(struct rnv_posix_smp *server, const uint8_t *message, uint32_t bytes)
{
	uint8_t line[RNV_FRAME_LINE_BYTES];
	uint32_t reset, length;
	uint32_t at = 0;
	uint32_t reply = rnv_posix_smp_answer(&server->config, message, bytes, server->reply,
					      server->config.message_bytes, &reset);

	if (reply != 0u && server->unended) { /* such as a prompt: frames have their own lines */
		rnv_posix_smp_write(server, "\r\n", 2);
	}
	rnv_pace_begin(&server->send);
	while (reply != 0u && (length = rnv_frame_line(server->reply, reply, &at, line)) != 0u) {
		write_out(server, line, length);
	}
	if (reset != 0u) {
		server->config.reset(server->config.context);
	}
}

/* Somebody types: show it. */
static void echo(struct rnv_posix_smp *server, uint8_t byte)
{
	if (byte == '\r' || byte == '\n') {
		rnv_posix_smp_write(server, "\r\n", 2);
	} else if ((byte == '\b' || byte == 0x7Fu) && server->column != 0u) {
		rnv_posix_smp_write(server, "\b \b", 3);
	} else if (byte >= ' ' && byte != 0x7Fu) {
		rnv_posix_smp_write(server, (const char *)&byte, 1);
	}
}

static void take_text(struct rnv_posix_smp *server, const uint8_t *text, uint32_t bytes)
{
	if (server->config.line != NULL) {
		server->config.line(server->config.context, (const char *)text, bytes);
	}
}

static void take(struct rnv_posix_smp *server, uint8_t byte)
{
	bool end = byte == '\r' || byte == '\n';
	bool second = byte == '\n' && server->before == '\r'; /* of one end */
	const uint8_t *data = NULL;
	uint32_t bytes = 0;
	uint32_t event;

	server->quiet = server->quiet || byte == 0x06u || byte == 0x04u;
	if (server->config.line != NULL && !server->quiet && !second) {
		echo(server, byte);
	}
	event = rnv_frame_byte(&server->frame, byte, &data, &bytes);
	if (event == RNV_FRAME_MESSAGE) {
		answer(server, data, bytes);
	} else if (event == RNV_FRAME_TEXT) {
		take_text(server, data, bytes);
	} else if (end && !second && server->column == 0u) {
		take_text(server, data, 0);
	}
	server->quiet = server->quiet && !end;
	server->column = end ? 0u : server->column + 1u;
	server->before = byte;
}

/* --- the line at its speed -------------------------------------------------------------------- */

static void *read_paced(void *argument)
{
	struct rnv_posix_smp *server = argument;
	uint8_t bytes[READ_BYTES];
	uint32_t most = rnv_pace_piece(&server->receive, sizeof(bytes));

	for (;;) {
		bool idle = !rnv_pace_poll(server->in, POLLIN, server->stop[0], 0);
		ssize_t count;

		if (idle && !rnv_pace_poll(server->in, POLLIN, server->stop[0], -1)) {
			break;
		}
		if (idle) {
			rnv_pace_begin(&server->receive);
		}
		count = read(server->in, bytes, most);
		if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
			continue;
		}
		if (count <= 0 ||
		    !rnv_pace_wait(&server->receive, (uint32_t)count, server->stop[0]) ||
		    write(server->queue[1], bytes, (size_t)count) != count) {
			break;
		}
	}
	(void)close(server->queue[1]); /* the other thread reads the end */
	return NULL;
}

/* Begin to read a connection; where from, or -1. */
static int begin_reading(struct rnv_posix_smp *server)
{
	if (server->config.baud == 0u) {
		return server->in;
	}
	if (pipe2(server->queue, O_CLOEXEC) != 0) {
		return -1;
	}
	if (pthread_create(&server->reader, NULL, read_paced, server) != 0) {
		(void)close(server->queue[0]);
		(void)close(server->queue[1]);
		return -1;
	}
	return server->queue[0];
}

static void end_reading(struct rnv_posix_smp *server)
{
	if (server->config.baud != 0u) {
		if (server->line.listener >= 0) {
			(void)shutdown(server->in, SHUT_RDWR); /* the reader reads its end */
		}
		(void)close(server->queue[0]);
		(void)pthread_join(server->reader, NULL);
	}
}

/* --- connections ------------------------------------------------------------------------------ */

/* Whether the host has closed the connection; what it sent before may wait to be read. */
static bool is_closed(const struct rnv_posix_smp *server)
{
	struct pollfd end = {.fd = server->in, .events = POLLRDHUP};

	return poll(&end, 1, 0) > 0;
}

/* A second host, while one is connected, is sent away. */
static void refuse_other(const struct rnv_posix_smp *server)
{
	int other = accept4(server->line.listener, NULL, NULL, SOCK_CLOEXEC);

	if (other >= 0) {
		(void)close(other);
	}
}

/* Wait for input: false where the server shall end. */
static bool wait_input(const struct rnv_posix_smp *server, int from)
{
	struct pollfd polls[3] = {{.fd = from, .events = POLLIN},
				  {.fd = server->stop[0], .events = POLLIN},
				  {.fd = server->line.listener, .events = POLLIN}};

	while (polls[0].revents == 0) {
		if (poll(polls, 3, -1) < 0 && errno != EINTR) {
			return false;
		}
		if (polls[1].revents != 0) {
			return false;
		}
		if (polls[2].revents != 0 && is_closed(server)) {
			polls[2].fd = -1; /* it is the next one, and waits for its turn */
			polls[2].revents = 0;
		} else if (polls[2].revents != 0) {
			refuse_other(server);
		}
	}
	return true;
}

static void serve(struct rnv_posix_smp *server)
{
	uint8_t bytes[READ_BYTES];
	int from = begin_reading(server);

	if (from < 0) {
		return;
	}
	server->frame = (struct rnv_frame){.message = server->memory,
					   .room = server->config.message_bytes + FRAME_EXTRA};
	server->deaf = false;
	server->quiet = false;
	server->unended = false;
	server->before = 0;
	server->column = 0;
	while (wait_input(server, from)) {
		ssize_t count = read(from, bytes, sizeof(bytes));

		if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
			break;
		}
		server->deaf = false; /* it speaks: it may listen again */
		for (ssize_t i = 0; i < count; i++) {
			take(server, bytes[i]);
		}
	}
	end_reading(server);
}

static void serve_connections(struct rnv_posix_smp *server)
{
	const int on = 1;

	while (rnv_pace_poll(server->line.listener, POLLIN, server->stop[0], -1)) {
		server->in =
			accept4(server->line.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (server->in < 0) {
			continue;
		}
		(void)setsockopt(server->in, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		server->out = server->in;
		serve(server);
		(void)close(server->in);
	}
}

static void *run(void *argument)
{
	struct rnv_posix_smp *server = argument;
	sigset_t all;

	/* Signals are for other threads; a host that is gone is an error of write(). */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (server->line.listener >= 0) {
		serve_connections(server);
		return NULL;
	}
	server->in = server->line.in;
	server->out = server->line.out;
	serve(server);
	if (server->config.ended != NULL) {
		server->config.ended(server->config.context);
	}
	return NULL;
}

/* --- life ------------------------------------------------------------------------------------- */

int rnv_posix_smp_start(struct rnv_posix_smp **server, const struct rnv_posix_smp_config *config,
			const struct rnv_posix_smp_line *line)
{
	uint32_t most = config->message_bytes;
	struct rnv_posix_smp *made;

	if (config->smp == NULL || most < RNV_POSIX_SMP_LEAST || most > RNV_POSIX_SMP_MOST ||
	    (line->listener < 0 && (line->in < 0 || line->out < 0))) {
		return RNV_EINVAL;
	}
	made = calloc(1, sizeof(*made) + 2u * most + FRAME_EXTRA);
	if (made == NULL) {
		return RNV_ENOMEM;
	}
	made->config = *config;
	made->line = *line;
	made->send.baud = config->baud;
	made->receive.baud = config->baud;
	made->reply = made->memory + most + FRAME_EXTRA;
	if (pipe2(made->stop, O_CLOEXEC) != 0) {
		free(made);
		return RNV_ENOMEM;
	}
	*server = made;
	if (pthread_create(&made->thread, NULL, run, made) != 0) {
		(void)close(made->stop[0]);
		(void)close(made->stop[1]);
		free(made);
		return RNV_ENOMEM;
	}
	return RNV_OK;
}

void rnv_posix_smp_stop(struct rnv_posix_smp *server)
{
	(void)close(server->stop[1]);
	(void)pthread_join(server->thread, NULL);
	(void)close(server->stop[0]);
	free(server);
}
