/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Arguments and words that the shell's commands share. */

#include <stdio.h>
#include <string.h>

#include <zephyr/sys/util.h>

#include <ranvier/zephyr/runtime.h>

#include "shell_internal.h"

static const struct {
	int16_t status;
	const char *words;
} status_words[] = {
	{RNV_OK, "ok"},
	{RNV_ENOENT, "no such object"},
	{RNV_EIO, "the accelerator reported a fault"},
	{RNV_EAGAIN, "full"},
	{RNV_ENOMEM, "too little memory"},
	{RNV_EALIGN, "not aligned"},
	{RNV_EBUSY, "in use"},
	{RNV_EEXIST, "exists"},
	{RNV_EINVAL, "invalid"},
	{RNV_ETIME, "its deadline was over, or could not be met"},
	{RNV_EBADMSG, "damaged"},
	{RNV_EOVERFLOW, "too large"},
	{RNV_ESTATE, "not possible in this state"},
	{RNV_EFORMAT, "not a package, or a damaged one"},
	{RNV_ENOTSUP, "not supported"},
	{RNV_ENOBUFS, "dropped for a newer one"},
	{RNV_ETIMEDOUT, "the accelerator did not answer in time"},
	{RNV_ESTALE, "the model's state is stale"},
	{RNV_ECANCELED, "cancelled"},
};

const char *rnv_shell_status(int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(status_words); i++) {
		if (status_words[i].status == status) {
			return status_words[i].words;
		}
	}
	return "unknown";
}

static bool to_number(const char *text, uint32_t *number)
{
	int err = 0;
	unsigned long value = shell_strtoul(text, 0, &err);

	*number = (uint32_t)value;
	return err == 0 && value <= UINT32_MAX;
}

int rnv_shell_number(const struct shell *sh, const char *text, const char *what, uint32_t *number)
{
	if (!to_number(text, number)) {
		shell_error(sh, "%s: \"%s\" is not a number from 0 to 4294967295", what, text);
		return RNV_EINVAL;
	}
	return RNV_OK;
}

uint32_t rnv_shell_slot(uint32_t model)
{
	return model & 0xFFFFU;
}

const char *rnv_shell_name(const struct rnv_package *pkg)
{
	return (const char *)rnv_package_header(pkg)->name;
}

/* The model of a slot, or RNV_NO_HANDLE. */
static uint32_t of_slot(struct rnv_sched *sched, uint32_t slot)
{
	uint32_t model = rnv_model_next(sched, RNV_NO_HANDLE);

	while (model != RNV_NO_HANDLE && rnv_shell_slot(model) != slot) {
		model = rnv_model_next(sched, model);
	}
	return model;
}

int rnv_shell_model(const struct shell *sh, const char *text, struct rnv_model_info *info)
{
	struct rnv_sched *sched = rnv_runtime_sched();
	uint32_t model = rnv_model_find(sched, text);
	uint32_t number;

	if (model == RNV_NO_HANDLE && to_number(text, &number)) {
		model = of_slot(sched, number);
	}
	if (model == RNV_NO_HANDLE || rnv_model_info_get(sched, model, info) != RNV_OK) {
		shell_error(sh, "no model \"%s\" is open; try: ranvier model list", text);
		return RNV_ENOENT;
	}
	return RNV_OK;
}

static bool is_lane_name(const char *text, const char *name)
{
	size_t i = 0;

	while (text[i] == name[i] || (name[i] == ' ' && text[i] == '-')) {
		if (text[i] == '\0') {
			return true;
		}
		i++;
	}
	return false;
}

int rnv_shell_lane(const struct shell *sh, const char *text, uint32_t *lane)
{
	char names[RNV_SHELL_LANES_CHARS];

	if (to_number(text, lane) && *lane < RNV_LANE_COUNT) {
		return RNV_OK;
	}
	for (uint32_t i = 0; i < RNV_LANE_COUNT; i++) {
		if (is_lane_name(text, rnv_runtime_lane_name(i))) {
			*lane = i;
			return RNV_OK;
		}
	}
	shell_error(sh, "no lane \"%s\"; try one of %s, or 0 to %u", text,
		    rnv_shell_lanes(BIT_MASK(RNV_LANE_COUNT), names), RNV_LANE_COUNT - 1U);
	return RNV_EINVAL;
}

const char *rnv_shell_lanes(uint32_t lanes, char *text)
{
	size_t used = 0;

	(void)strcpy(text, "none");
	for (uint32_t i = 0; i < RNV_LANE_COUNT; i++) {
		if ((lanes & BIT(i)) != 0U) {
			used += (size_t)snprintf(&text[used], RNV_SHELL_LANES_CHARS - used, "%s%s",
						 (used > 0U) ? "," : "", rnv_runtime_lane_name(i));
		}
	}
	for (size_t i = 0; i < used; i++) { /* as one word, as it may be typed */
		text[i] = (text[i] == ' ') ? '-' : text[i];
	}
	return text;
}
