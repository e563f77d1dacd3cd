/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * QEMU TCG plugin: the exact number of guest instructions executed in named regions.
 *
 *   cc -O2 -shared -fPIC -DICOUNT_API=1 icount.c -o icount.so
 *   qemu-system-arm ... -d plugin -plugin ./icount.so,NAME=BEGIN:END[,NAME=BEGIN:END...][,mix=NAME]
 *
 * BEGIN and END are addresses of two marker functions. Each time END is reached, a line
 * "icount NAME COUNT" goes to QEMU's log: the instructions from the first one at BEGIN, included,
 * to the one at END, excluded. So a region contains the return from its begin marker and the call
 * of its end marker. Regions may nest; one CPU is assumed. After the line of the region that mix
 * names follow lines "imix NAME MNEMONIC COUNT" with the same instructions by mnemonic.
 *
 * ICOUNT_API is the plugin API to build for: 1 for QEMU 6 to 8, 2 for QEMU 9 and 10, which replaced
 * the inline counter by a scoreboard. The declarations needed are written out here because
 * distributions do not ship QEMU's header with the emulator.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ICOUNT_API
#define ICOUNT_API 1
#endif

#define EXPORT        __attribute__((visibility("default")))
#define MAX_REGIONS   16
#define MAX_MNEMONICS 512
#define NAME_CHARS    32

/* QEMU's plugin interface, as far as it is used here. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*qemu_tb_callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_insn_callback)(unsigned int cpu, void *data);
enum {
	QEMU_NO_REGISTERS = 0,
	QEMU_ADD_U64 = 0
};

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_tb_callback callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_insn_callback callback, int flags, void *data);
void qemu_plugin_outs(const char *text);

EXPORT int qemu_plugin_version = ICOUNT_API;

#if ICOUNT_API == 1

void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int operation,
						void *counter, uint64_t value);

/* Counter 0 is of all instructions, the others of one mnemonic each. */
static uint64_t counters[MAX_MNEMONICS];

static void counter_init(void)
{
}

static void counter_attach(struct qemu_plugin_insn *insn, int index)
{
	qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_ADD_U64, &counters[index], 1);
}

static uint64_t counter_value(unsigned int cpu, int index)
{
	(void)cpu;
	return counters[index];
}

#else

typedef struct {
	void *scoreboard;
	size_t offset;
} qemu_plugin_u64;

void *qemu_plugin_scoreboard_new(size_t element_bytes);
uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned int cpu);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 int operation, qemu_plugin_u64 entry,
							 uint64_t value);

static void *counters;

static qemu_plugin_u64 counter_entry(int index)
{
	return (qemu_plugin_u64){counters, (size_t)index * sizeof(uint64_t)};
}

static void counter_init(void)
{
	counters = qemu_plugin_scoreboard_new(MAX_MNEMONICS * sizeof(uint64_t));
}

static void counter_attach(struct qemu_plugin_insn *insn, int index)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_ADD_U64,
							    counter_entry(index), 1);
}

static uint64_t counter_value(unsigned int cpu, int index)
{
	return qemu_plugin_u64_get(counter_entry(index), cpu);
}

#endif

struct region {
	char name[NAME_CHARS];
	uint64_t begin;
	uint64_t end;
	uint64_t count_at_begin;
};

static struct region regions[MAX_REGIONS];
static int region_count;

/* Mnemonics seen, by the index of their counter; the last one is of those that found no place. */
static struct mnemonic {
	char name[NAME_CHARS];
	uint64_t count_at_begin;
} mnemonics[MAX_MNEMONICS];
static int mnemonic_count = 1;
static char mix_name[NAME_CHARS];

static bool is_mix(const struct region *region)
{
	return strcmp(region->name, mix_name) == 0;
}

static int mnemonic_index(const struct qemu_plugin_insn *insn)
{
	char *text = qemu_plugin_insn_disas(insn);
	char name[NAME_CHARS] = "?";
	int i = 1;

	if (text != NULL) {
		sscanf(text, "%31s", name);
	}
	free(text);
	while (i < mnemonic_count && strcmp(mnemonics[i].name, name) != 0) {
		i++;
	}
	if (i == mnemonic_count && mnemonic_count < MAX_MNEMONICS) {
		mnemonic_count++;
		snprintf(mnemonics[i].name, NAME_CHARS, "%s",
			 i == MAX_MNEMONICS - 1 ? "others" : name);
	}
	return i < MAX_MNEMONICS ? i : MAX_MNEMONICS - 1;
}

static void on_begin(unsigned int cpu, void *data)
{
	struct region *region = data;

	region->count_at_begin = counter_value(cpu, 0);
	if (is_mix(region)) {
		for (int i = 1; i < MAX_MNEMONICS; i++) {
			mnemonics[i].count_at_begin = counter_value(cpu, i);
		}
	}
}

static void on_end(unsigned int cpu, void *data)
{
	const struct region *region = data;
	char line[2 * NAME_CHARS + 40];

	snprintf(line, sizeof(line), "icount %s %" PRIu64 "\n", region->name,
		 counter_value(cpu, 0) - region->count_at_begin);
	qemu_plugin_outs(line);
	for (int i = 1; is_mix(region) && i < mnemonic_count; i++) {
		uint64_t count = counter_value(cpu, i) - mnemonics[i].count_at_begin;

		if (count != 0) {
			snprintf(line, sizeof(line), "imix %s %s %" PRIu64 "\n", region->name,
				 mnemonics[i].name, count);
			qemu_plugin_outs(line);
		}
	}
}

/* QEMU runs an instruction's callbacks before it counts that instruction. */
static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		for (int r = 0; r < region_count; r++) {
			if (address == regions[r].begin) {
				qemu_plugin_register_vcpu_insn_exec_cb(
					insn, on_begin, QEMU_NO_REGISTERS, &regions[r]);
			}
			if (address == regions[r].end) {
				qemu_plugin_register_vcpu_insn_exec_cb(
					insn, on_end, QEMU_NO_REGISTERS, &regions[r]);
			}
		}
		counter_attach(insn, 0);
		if (mix_name[0] != '\0') {
			counter_attach(insn, mnemonic_index(insn));
		}
	}
}

/* Reads NAME=BEGIN:END; bit 0 of an address, set in Thumb symbols, is dropped. */
static int region_parse(const char *text, struct region *region)
{
	const char *equals = strchr(text, '=');
	size_t name_chars = equals != NULL ? (size_t)(equals - text) : 0;
	char *after;

	if (name_chars == 0 || name_chars >= NAME_CHARS) {
		return -1;
	}
	memcpy(region->name, text, name_chars);
	region->begin = strtoull(equals + 1, &after, 0) & ~UINT64_C(1);
	if (*after != ':') {
		return -1;
	}
	region->end = strtoull(after + 1, &after, 0) & ~UINT64_C(1);
	return *after == '\0' ? 0 : -1;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "mix=", 4) == 0) {
			snprintf(mix_name, sizeof(mix_name), "%s", argv[i] + 4);
			continue;
		}
		if (region_count == MAX_REGIONS ||
		    region_parse(argv[i], &regions[region_count]) != 0) {
			fprintf(stderr, "icount: cannot take \"%s\": at most %d NAME=BEGIN:END\n",
				argv[i], MAX_REGIONS);
			return -1;
		}
		region_count++;
	}
	counter_init();
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
