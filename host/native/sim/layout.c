/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Layouts are TOML; of that language this reads what a layout needs: comments, [[model]], numbers,
 * strings, and arrays of strings on one line.
 */

#include "layout.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 65536
#define LINE_BYTES 512
#define NORMAL     (1u << 1)

const char *const sim_lane_names[SIM_LANES] = {"realtime", "normal", "best effort"};

/* Any of the models of this release and of MLPerf Tiny. Audio models have state, so one lane. */
static const char default_layout[] =
	"sector_bytes = 4096\n"
	"unit_bytes = 16\n"
	"[[model]]\nname = \"digits\"\nslot_bytes = 262144\n"
	"lanes = [\"realtime\", \"normal\", \"best effort\"]\n"
	"[[model]]\nname = \"keywords\"\nslot_bytes = 262144\nlanes = [\"realtime\"]\n"
	"[[model]]\nname = \"shapes\"\nslot_bytes = 262144\n"
	"lanes = [\"realtime\", \"normal\", \"best effort\"]\n"
	"[[model]]\nname = \"kws\"\nslot_bytes = 262144\nlanes = [\"normal\"]\n"
	"[[model]]\nname = \"vww\"\nslot_bytes = 524288\n"
	"lanes = [\"normal\", \"best effort\"]\n"
	"[[model]]\nname = \"ic\"\nslot_bytes = 262144\n"
	"lanes = [\"normal\", \"best effort\"]\n"
	"[[model]]\nname = \"ad\"\nslot_bytes = 524288\n"
	"lanes = [\"normal\", \"best effort\"]\n";

struct reader {
	struct sim_layout *layout;
	const char *path;
	uint32_t line;
	bool has_region;
};

static int fail(const struct reader *reader, const char *what)
{
	(void)fprintf(stderr, "ranvier-sim: %s:%u: %s\n", reader->path, reader->line, what);
	return RNV_EINVAL;
}

int sim_lane_find(const char *text)
{
	for (int lane = 0; lane < SIM_LANES; lane++) {
		if (strcmp(text, sim_lane_names[lane]) == 0 ||
		    (text[0] == '0' + lane && text[1] == '\0')) {
			return lane;
		}
	}
	return -1;
}

/* The end of the line's content: without comment and space. Strings have no # in a layout. */
static char *trim(char *line)
{
	char *comment = strchr(line, '#');
	char *end;

	if (comment != NULL) {
		*comment = '\0';
	}
	while (isspace((unsigned char)*line)) {
		line++;
	}
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1])) {
		*--end = '\0';
	}
	return line;
}

static bool read_number(const char *text, uint32_t *number)
{
	char digits[32];
	size_t count = 0;
	char *end;
	unsigned long long value;

	for (; *text != '\0' && count + 1u < sizeof(digits); text++) {
		if (*text != '_') {
			digits[count++] = *text;
		}
	}
	digits[count] = '\0';
	if (!isdigit((unsigned char)digits[0])) {
		return false;
	}
	errno = 0;
	value = strtoull(digits, &end, (digits[1] == 'x') ? 16 : 10);
	*number = (uint32_t)value;
	return errno == 0 && *end == '\0' && value <= UINT32_MAX;
}

/* A string in quotes that begins at `*at`, which moves behind it. */
static bool read_string(char **at, char **text)
{
	char *end = (**at == '"') ? strchr(*at + 1, '"') : NULL;

	if (end == NULL) {
		return false;
	}
	*text = *at + 1;
	*end = '\0';
	*at = end + 1;
	return true;
}

static int read_lanes(const struct reader *reader, char *at, uint32_t *lanes)
{
	*lanes = 0;
	if (*at++ != '[') {
		return fail(reader, "lanes are not an array, such as [\"normal\"]");
	}
	for (;;) {
		char *name;
		int lane;

		while (*at == ' ' || *at == ',') {
			at++;
		}
		if (*at == ']') {
			break;
		}
		lane = read_string(&at, &name) ? sim_lane_find(name) : -1;
		if (lane < 0) {
			return fail(reader,
				    "lanes are of \"realtime\", \"normal\", \"best effort\"");
		}
		*lanes |= 1u << lane;
	}
	return (*lanes != 0u) ? 0 : fail(reader, "no lane");
}

static int set_model(const struct reader *reader, const char *key, char *value)
{
	struct sim_layout *layout = reader->layout;
	uint32_t model = layout->model_count - 1u;
	char *name;

	if (strcmp(key, "name") == 0) {
		if (!read_string(&value, &name) || strlen(name) >= RNV_NAME_BYTES ||
		    name[0] == '\0') {
			return fail(reader, "name is not a string of 1 to 31 characters");
		}
		memcpy(layout->names[model], name, strlen(name) + 1u);
		layout->models[model].name = layout->names[model];
		return 0;
	}
	if (strcmp(key, "slot_bytes") == 0) {
		return read_number(value, &layout->models[model].slot_bytes)
			       ? 0
			       : fail(reader, "slot_bytes is not a number of 32 bits");
	}
	if (strcmp(key, "lanes") == 0) {
		return read_lanes(reader, value, &layout->lanes[model]);
	}
	return fail(reader, "a model has name, slot_bytes and lanes");
}

static int set_flash(struct reader *reader, const char *key, const char *value)
{
	struct rnv_flash_geometry *geometry = &reader->layout->geometry;
	uint32_t *number;

	if (strcmp(key, "sector_bytes") == 0) {
		number = &geometry->sector_bytes;
	} else if (strcmp(key, "unit_bytes") == 0) {
		number = &geometry->unit_bytes;
	} else if (strcmp(key, "region_bytes") == 0) {
		number = &geometry->bytes;
		reader->has_region = true;
	} else if (strcmp(key, "erased") == 0) {
		number = &geometry->erased;
	} else {
		return fail(reader, "the flash has sector_bytes, unit_bytes, region_bytes, erased");
	}
	return read_number(value, number) ? 0 : fail(reader, "not a number of 32 bits");
}

static int read_line(struct reader *reader, char *line)
{
	struct sim_layout *layout = reader->layout;
	char *value = strchr(line, '=');

	if (line[0] == '\0') {
		return 0;
	}
	if (strcmp(line, "[[model]]") == 0) {
		if (layout->model_count == RNV_STORE_MAX_MODELS) {
			return fail(reader, "more models than a store can have");
		}
		layout->lanes[layout->model_count] = NORMAL;
		layout->models[layout->model_count].name = "";
		layout->model_count++;
		return 0;
	}
	if (value == NULL) {
		return fail(reader, "neither NAME = VALUE nor [[model]]");
	}
	*value = '\0';
	line = trim(line);
	value = trim(value + 1);
	return (layout->model_count != 0u) ? set_model(reader, line, value)
					   : set_flash(reader, line, value);
}

static int read_text(struct reader *reader, const char *text)
{
	char line[LINE_BYTES];
	int status = 0;

	while (*text != '\0' && status == 0) {
		size_t length = strcspn(text, "\n");

		reader->line++;
		if (length >= sizeof(line)) {
			return fail(reader, "a line of 512 characters or more");
		}
		memcpy(line, text, length);
		line[length] = '\0';
		status = read_line(reader, trim(line));
		text += length + ((text[length] == '\n') ? 1u : 0u);
	}
	return status;
}

static bool power_of_two(uint32_t value)
{
	return value != 0u && (value & (value - 1u)) == 0u;
}

/* What is wrong with the flash, or NULL. */
static const char *flash_fault(const struct rnv_flash_geometry *geometry)
{
	if (geometry->sector_bytes == 0u) {
		return "no sector_bytes";
	}
	if (geometry->unit_bytes == 0u) {
		return "no unit_bytes";
	}
	if (!power_of_two(geometry->unit_bytes) || geometry->unit_bytes > RNV_FLASH_MAX_UNIT) {
		return "unit_bytes is not a power of two up to 128";
	}
	if (!power_of_two(geometry->sector_bytes) ||
	    geometry->sector_bytes < geometry->unit_bytes) {
		return "sector_bytes is not a power of two of at least a unit";
	}
	return (geometry->erased == 0xFFu || geometry->erased == 0u) ? NULL
								     : "erased is not 0 or 255";
}

/* Bytes of a sector of the registry at least (SPEC.md 4.1): its header and two entries. */
static uint32_t registry_bytes(const struct sim_layout *layout)
{
	uint32_t unit = layout->geometry.unit_bytes;
	uint32_t header = 68u + 32u * layout->model_count;
	uint32_t entry = (unit > 16u) ? unit : 16u;

	return ((header + unit - 1u) & ~(unit - 1u)) + 2u * entry;
}

/* What the whole has to be. The store checks the rest. */
static int check(struct reader *reader)
{
	struct sim_layout *layout = reader->layout;
	const char *fault = flash_fault(&layout->geometry);
	uint32_t need;

	if (layout->model_count == 0u) {
		return fail(reader, "no [[model]]");
	}
	if (fault != NULL) {
		return fail(reader, fault);
	}
	if (layout->geometry.sector_bytes < registry_bytes(layout)) {
		return fail(reader, "sector_bytes is too small for the registry of so many models");
	}
	need = rnv_store_region_bytes(&layout->geometry, layout->models, layout->model_count);
	if (need == 0u) {
		return fail(reader, "names are to differ, slot_bytes to be whole sectors, and all "
				    "of them 2 GiB at most");
	}
	if (!reader->has_region) {
		layout->geometry.bytes = need;
	}
	if (layout->geometry.bytes < need) {
		return fail(reader, "region_bytes is less than the models' slots and the registry");
	}
	return 0;
}

/* The file's text, for free(); NULL: it cannot be read, and that was said. */
static char *load(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(MOST_BYTES + 1);
	size_t count = 0;
	bool ok = file != NULL && text != NULL;

	if (ok) {
		count = fread(text, 1, MOST_BYTES, file);
		ok = ferror(file) == 0;
	}
	if (!ok) {
		(void)fprintf(stderr, "ranvier-sim: %s: cannot be read: %s\n", path,
			      strerror(errno));
		free(text);
		text = NULL;
	} else {
		text[count] = '\0';
	}
	if (file != NULL) {
		(void)fclose(file);
	}
	return text;
}

int sim_layout_read(struct sim_layout *layout, const char *path)
{
	struct reader reader = {.layout = layout, .path = path};
	char *text;
	int status;

	memset(layout, 0, sizeof(*layout));
	layout->geometry.erased = 0xFF;
	if (strcmp(path, "default") == 0) {
		status = read_text(&reader, default_layout);
	} else {
		text = load(path);
		if (text == NULL) {
			return RNV_EIO;
		}
		status = read_text(&reader, text);
		free(text);
	}
	return (status == 0) ? check(&reader) : status;
}
