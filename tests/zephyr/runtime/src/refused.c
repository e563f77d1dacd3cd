/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the runtime logs of a model that it refuses: which, why, and what to try. */

#include <string.h>

#include <zephyr/logging/log_backend.h>
#include <zephyr/logging/log_ctrl.h>
#include <zephyr/logging/log_output.h>
#include <zephyr/ztest.h>

#include <ranvier/status.h>

#include "digits.h"

static char logged[2048];
static size_t length;
static uint8_t buffer[64];

/* As much of the log as has room. */
static int keep(uint8_t *data, size_t size, void *context)
{
	size_t kept = MIN(size, sizeof(logged) - 1U - length);

	ARG_UNUSED(context);
	memcpy(&logged[length], data, kept);
	length += kept;
	logged[length] = '\0';
	return (int)size;
}

LOG_OUTPUT_DEFINE(output, keep, buffer, sizeof(buffer));

static void process(const struct log_backend *const backend, union log_msg_generic *message)
{
	ARG_UNUSED(backend);
	log_output_msg_process(&output, &message->log, 0);
}

static void panic(const struct log_backend *const backend)
{
	ARG_UNUSED(backend);
}

static const struct log_backend_api api = {.process = process, .panic = panic};

LOG_BACKEND_DEFINE(kept_log, api, true);

static void expect(const struct rnv_model_config *config, int status, const char *text)
{
	uint32_t model;

	log_flush();
	length = 0;
	logged[0] = '\0';
	zassert_equal(rnv_runtime_model_open(config, &model, NULL), status);
	log_flush();
	zassert_not_null(strstr(logged, text), "no \"%s\" in\n%s", text, logged);
}

static struct rnv_model_config digits_config(void)
{
	return (struct rnv_model_config){.data = ranvier_digits, .bytes = sizeof(ranvier_digits)};
}

/* CONFIG_RANVIER_MODEL_COUNT is 1. */
ZTEST(ranvier_refused, test_one_model_too_many)
{
	const struct rnv_model_config config = digits_config();
	uint32_t model = digits_open(NULL);

	expect(&config, RNV_EAGAIN,
	       "model digits refused: as many are open as may be; raise "
	       "CONFIG_RANVIER_MODEL_COUNT (-11)");
	digits_close(model);
}

ZTEST(ranvier_refused, test_damaged)
{
	static uint8_t damaged[sizeof(ranvier_digits)] __aligned(16);
	struct rnv_model_config config = digits_config();

	memcpy(damaged, ranvier_digits, sizeof(damaged));
	damaged[sizeof(damaged) / 2U] ^= 1U;
	config.data = damaged;
	expect(&config, RNV_EBADMSG, "refused: CRC");
	damaged[0] ^= 1U;
	expect(&config, RNV_EFORMAT, "model of unknown name refused: magic");
}

ZTEST(ranvier_refused, test_wrong_configurations)
{
	struct rnv_model_config config = digits_config();

	config.lanes = BIT(RNV_LANE_COUNT);
	expect(&config, RNV_EINVAL, "model digits refused: its configuration is wrong: ");
	config.data = NULL;
	expect(&config, RNV_EINVAL, "model of unknown name refused: its configuration is wrong");
	expect(NULL, RNV_EINVAL, "model of unknown name refused: its configuration is wrong");
}

ZTEST_SUITE(ranvier_refused, NULL, NULL, NULL, NULL, NULL);
