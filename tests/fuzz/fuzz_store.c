/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * libFuzzer target: the registry as a device may find it. The input's first byte says which CRCs
 * are made right, so that mutations get behind them: bit 0 and 1 of each sector's header, bit 2 of
 * the entries; bit 3 makes the layout right; the rest is both registry sectors.
 *
 * Whatever they hold: the store mounts, says of its models what may be said, and says the same
 * after every further mount; and what is then done to it is done within the rules of flash.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ram_flash.h"
#include "ranvier/package.h"
#include "ranvier/store.h"

#define MODELS       2u
#define SECTOR       1024u
#define UNIT         8u
#define HEADER_BYTES (68u + 32u * MODELS)
#define LAYOUT_AT    20u
#define ENTRY_BYTES  16u

static const struct rnv_store_layout layout[MODELS] = {{"alpha", 2 * SECTOR, 0},
						       {"beta", SECTOR, 3}};
static const struct rnv_key keys[2] = {{0x01020304, {1}}, {0x0A0B0C0D, {2}}};
static struct rnv_store_model models[MODELS];
static struct rnv_store store;

static void demand_info(uint32_t model, struct rnv_store_info *info)
{
	demand(rnv_store_info_get(&store, model, info) == RNV_OK);
	demand(info->slot[0] <= RNV_SLOT_REJECTED && info->slot[1] <= RNV_SLOT_REJECTED);
	demand((info->proven & 1u) == 0u || info->slot[0] >= RNV_SLOT_GOOD);
	demand(info->proven <= 1u || (info->proven <= 3u && info->slot[1] >= RNV_SLOT_GOOD));
	demand(info->confirmed <= 1u || info->confirmed == RNV_STORE_NO_SLOT);
	demand(info->trial <= RNV_TRIAL_TRYING);
	demand(info->trial == RNV_TRIAL_NONE || info->trial_slot <= 1u);
	demand(info->next <= 1u || info->next == RNV_STORE_NO_SLOT);
	demand(info->next > 1u || info->slot[info->next] == RNV_SLOT_GOOD);
	demand(info->written <= info->slot_bytes && info->written % SECTOR == 0u);
	demand(info->floor >= layout[model].security_version);
}

static void mount(void)
{
	const struct rnv_store_config config = {.flash = &ram_flash,
						.crypto = &any_crypto,
						.layout = layout,
						.models = models,
						.keys = keys,
						.model_count = MODELS,
						.key_count = 2,
						.trial_boots = 3};
	struct rnv_store_info before[MODELS] = {0};
	struct rnv_store_info after[MODELS] = {0};

	memset(&store, 0xA5, sizeof(store));
	demand(rnv_store_mount(&store, &config) == RNV_OK);
	for (uint32_t i = 0; i < MODELS; i++) {
		demand_info(i, &before[i]);
	}
	memset(&store, 0x5A, sizeof(store));
	demand(rnv_store_mount(&store, &config) == RNV_OK);
	for (uint32_t i = 0; i < MODELS; i++) {
		demand_info(i, &after[i]);
		demand(memcmp(&before[i], &after[i], sizeof(before[i])) == 0);
	}
}

static void put_crc(uint8_t *at, uint32_t crc)
{
	memcpy(at, &crc, sizeof(crc));
}

static void mend(uint32_t flags)
{
	uint32_t entries_at = (HEADER_BYTES + UNIT - 1u) / UNIT * UNIT;
	uint8_t name[32];
	uint32_t words[3] = {ram_flash.geometry.bytes, SECTOR, UNIT};
	uint32_t crc = rnv_crc32(0, words, sizeof(words));

	for (uint32_t i = 0; i < MODELS; i++) {
		memset(name, 0, sizeof(name));
		strcpy((char *)name, layout[i].name);
		crc = rnv_crc32(crc, name, sizeof(name));
		crc = rnv_crc32(crc, &layout[i].slot_bytes, 4);
	}
	for (uint32_t s = 0; s < 2u; s++) {
		uint8_t *sector = cells + s * SECTOR;

		if ((flags & 8u) != 0u) {
			memcpy(sector + LAYOUT_AT, &crc, 4);
		}
		if ((flags >> s & 1u) != 0u) {
			put_crc(sector + HEADER_BYTES - 4u,
				rnv_crc32(0, sector, HEADER_BYTES - 4u));
		}
		for (uint32_t at = entries_at; at + ENTRY_BYTES <= SECTOR; at += ENTRY_BYTES) {
			if ((flags & 4u) != 0u && sector[at] != 0xFFu) {
				put_crc(sector + at + 12u,
					rnv_crc32(rnv_crc32(0, sector + 8, 4), sector + at, 12));
			}
		}
	}
}

/* What may be done with it, whatever it is. */
static void use(uint32_t model)
{
	static const uint8_t hash[RNV_STORE_HASH_BYTES] = {1, 2, 3};
	uint8_t data[300] = {0};
	struct rnv_store_info info;
	struct rnv_store_verify verify;
	uint32_t offset = 0, taken;
	int slot = rnv_store_boot(&store, model);

	demand(slot == RNV_ENOENT || slot == 0 || slot == 1);
	demand_info(model, &info);
	if (slot >= 0) {
		demand(info.slot[slot] == RNV_SLOT_GOOD);
		demand(rnv_store_verify_start(&store, model, (uint32_t)slot, &verify) == RNV_OK);
		while (rnv_store_verify_step(&store, &verify, 512) == RNV_EAGAIN) {
		}
		if (info.trial == RNV_TRIAL_NONE) {
			demand(rnv_store_pass_over(&store, model, (uint32_t)slot) == RNV_OK);
			demand_info(model, &info);
			demand(info.next != (uint32_t)slot);
		}
		demand(rnv_store_mark_bad(&store, model, (uint32_t)slot) == RNV_OK);
	}
	if (rnv_store_revert(&store, model) == RNV_OK) {
		demand_info(model, &info);
		demand(info.trial == RNV_TRIAL_NONE);
	}
	demand(rnv_store_fill_begin(&store, model, hash, 900, &offset) == RNV_OK);
	demand(offset <= 900u);
	for (uint32_t i = 0; i < 4u; i++) {
		int status = rnv_store_fill_write(&store, data, sizeof(data), &taken);

		demand(status == RNV_OK || status == RNV_ENOSPC);
	}
	rnv_store_fill_leave(&store);
	demand_info(model, &info);
	for (uint32_t i = 0; i < 2u; i++) {
		while (rnv_store_erase(&store, model, i) == RNV_EAGAIN) {
		}
	}
	(void)rnv_store_revoke(&store, keys[model].id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0u || size > 1u + 2u * SECTOR) {
		return 0;
	}
	ram_flash.geometry.sector_bytes = SECTOR;
	ram_flash.geometry.unit_bytes = UNIT;
	ram_flash.geometry.bytes = rnv_store_region_bytes(&ram_flash.geometry, layout, MODELS);
	memset(cells, 0xFF, ram_flash.geometry.bytes);
	memcpy(cells, data + 1, size - 1u);
	mend(data[0]);
	mount();
	use(0);
	use(1);
	mount();
	return 0;
}
