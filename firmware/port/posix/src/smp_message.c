/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * SMP messages: the header, the commands of the OS group that standard clients use, and errors.
 *
 * Requests of version 2 are told a group's error as it is, {"err": {"group", "rc"}}. Those of
 * version 1 know one number, {"rc"}, which is MCUmgr's "unknown" for errors of groups that have no
 * translation. What is wrong with the request itself is {"rc"} in both.
 */

#include <string.h>

#include <zcbor_decode.h>
#include <zcbor_encode.h>

#include "posix/smp.h"

#define HEADER_BYTES 8u
#define OP_MASK      0x07u
#define VERSION_BIT  3u
#define VERSION_MASK 0x03u
#define VERSION_2    1u
#define BUFFERS      1u /* requests that are taken before the first one is answered */

enum {
	OS_GROUP = 0,
	OS_ECHO = 0,
	OS_RESET = 5,
	OS_PARAMETERS = 6,
};

/* MCUmgr's numbers. */
enum {
	MGMT_EOK = 0,
	MGMT_EUNKNOWN = 1,
	MGMT_EINVAL = 3,
	MGMT_EMSGSIZE = 7,
	MGMT_ENOTSUP = 8,
	MGMT_ECORRUPT = 9,
	MGMT_TOO_NEW = 13,
};

struct request {
	const uint8_t *body;
	uint32_t bytes;
	uint32_t op;
	uint32_t version;
	uint32_t group;
	uint32_t id;
};

/* A map of text to text has what echo needs; other lists and maps are no request of it. */
static bool decode_echo(const struct request *request, struct zcbor_string *text)
{
	zcbor_state_t in[3];
	struct zcbor_string key;

	zcbor_new_decode_state(in, 3, request->body, request->bytes, 1, NULL, 0);
	if (!zcbor_map_start_decode(in)) {
		return false;
	}
	while (!zcbor_array_at_end(in)) {
		if (!zcbor_tstr_decode(in, &key) || in->payload == in->payload_end) {
			return false;
		}
		if (key.len == 1u && key.value[0] == 'd') {
			if (!zcbor_tstr_decode(in, text)) {
				return false;
			}
		} else if ((*in->payload >> 5) >= 4u && (*in->payload >> 5) <= 6u) {
			return false;
		} else if (!zcbor_any_skip(in, NULL)) {
			return false;
		}
	}
	return zcbor_map_end_decode(in);
}

static int answer_os(const struct rnv_posix_smp_config *config, const struct request *request,
		     zcbor_state_t *out, uint32_t *reset)
{
	struct zcbor_string text = {.value = (const uint8_t *)""}; /* without `d`, as MCUmgr */
	bool ok = true;

	if (request->id == OS_ECHO) {
		if (!decode_echo(request, &text)) {
			return MGMT_EINVAL;
		}
		ok = zcbor_tstr_put_lit(out, "r") && zcbor_tstr_encode(out, &text);
	} else if (request->id == OS_PARAMETERS && request->op == RNV_SMP_READ) {
		ok = zcbor_tstr_put_lit(out, "buf_size") &&
		     zcbor_uint32_put(out, config->message_bytes) &&
		     zcbor_tstr_put_lit(out, "buf_count") && zcbor_uint32_put(out, BUFFERS);
	} else if (request->id == OS_RESET && request->op == RNV_SMP_WRITE &&
		   config->reset != NULL) {
		*reset = 1;
	} else {
		return MGMT_ENOTSUP;
	}
	return ok ? MGMT_EOK : MGMT_EMSGSIZE;
}

static int answer_ranvier(const struct rnv_posix_smp_config *config, const struct request *request,
			  zcbor_state_t *out)
{
	static const char error[] = {0x63, 'e', 'r', 'r'};
	const uint8_t *begin = out->payload;
	zcbor_state_t in[3];
	int status;

	zcbor_new_decode_state(in, 3, request->body, request->bytes, 1, NULL, 0);
	status = rnv_smp_handle(config->smp, request->op, request->id, in, out);
	if (status == RNV_SMP_EOK && request->version < VERSION_2 &&
	    memcmp(begin, error, sizeof(error)) == 0) {
		status = MGMT_EUNKNOWN;
	}
	return status;
}

/* Encode the reply's map; returns its length, or 0 with the error to tell in its place. */
static uint32_t answer(const struct rnv_posix_smp_config *config, const struct request *request,
		       uint8_t *body, uint32_t room, uint32_t *reset, int *status)
{
	zcbor_state_t out[2];

	zcbor_new_encode_state(out, 2, body, room, 0);
	if (request->version > VERSION_2) {
		*status = MGMT_TOO_NEW;
		return 0;
	}
	if (!zcbor_map_start_encode(out, 0)) {
		*status = MGMT_EMSGSIZE;
		return 0;
	}
	if (request->group == OS_GROUP) {
		*status = answer_os(config, request, out, reset);
	} else if (request->group == RNV_SMP_GROUP) {
		*status = answer_ranvier(config, request, out);
	} else {
		*status = MGMT_ENOTSUP;
	}
	if (*status == MGMT_EOK && !zcbor_map_end_encode(out, 0)) {
		*status = MGMT_EMSGSIZE;
	}
	return (*status == MGMT_EOK) ? (uint32_t)(out->payload - body) : 0u;
}

static uint32_t put_error(uint8_t *body, uint32_t room, int status)
{
	zcbor_state_t out[2];

	zcbor_new_encode_state(out, 2, body, room, 0);
	(void)(zcbor_map_start_encode(out, 1) && zcbor_tstr_put_lit(out, "rc") &&
	       zcbor_int32_put(out, status) && zcbor_map_end_encode(out, 1));
	return (uint32_t)(out->payload - body);
}

uint32_t rnv_posix_smp_answer(const struct rnv_posix_smp_config *config, const uint8_t *message,
			      uint32_t bytes, uint8_t *reply, uint32_t room, uint32_t *reset)
{
	struct request request;
	uint32_t version, length;
	int status;

	*reset = 0;
	if (bytes < HEADER_BYTES || room < RNV_POSIX_SMP_LEAST) {
		return 0;
	}
	request = (struct request){.body = message + HEADER_BYTES,
				   .bytes = (uint32_t)(message[2] << 8 | message[3]),
				   .op = message[0] & OP_MASK,
				   .version = message[0] >> VERSION_BIT & VERSION_MASK,
				   .group = (uint32_t)(message[4] << 8 | message[5]),
				   .id = message[7]};
	if (request.op != RNV_SMP_READ && request.op != RNV_SMP_WRITE) {
		return 0; /* a reply, of another device or come back */
	}
	if (request.bytes > bytes - HEADER_BYTES) {
		status = MGMT_ECORRUPT;
		length = 0;
	} else {
		length = answer(config, &request, reply + HEADER_BYTES, room - HEADER_BYTES, reset,
				&status);
	}
	if (length == 0u) {
		length = put_error(reply + HEADER_BYTES, room - HEADER_BYTES, status);
	}
	version = (request.version < VERSION_2) ? request.version : VERSION_2;
	reply[0] = (uint8_t)((request.op + 1u) | version << VERSION_BIT);
	reply[1] = 0;
	reply[2] = (uint8_t)(length >> 8);
	reply[3] = (uint8_t)length;
	memcpy(reply + 4, message + 4, 4);
	return HEADER_BYTES + length;
}
