/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Filling a slot with a package. */

#include "store/registry.h"

static struct rnv_store_model *being_filled(const struct rnv_store *store)
{
	struct rnv_store_model *model = rnv_store_model_get(store, store->fill_model);

	return model != NULL && model->slot[store->fill_slot] == RNV_SLOT_FILLING ? model : NULL;
}

/* A slot where none is in use: not the confirmed one if that is only passed over; not a held one.
 */
static uint32_t unused_slot(const struct rnv_store_model *model)
{
	uint32_t confirmed = model->confirmed;

	if (confirmed != RNV_STORE_NO_SLOT && model->slot[confirmed] == RNV_SLOT_GOOD) {
		return 1u - confirmed;
	}
	if ((model->views[0] != 0u) != (model->views[1] != 0u)) {
		return model->views[0] != 0u ? 1u : 0u;
	}
	return model->fills[1] < model->fills[0] ? 1u : 0u;
}

/* The slot that a fill of `hash` goes on in; else the one that is not in use. */
static uint32_t slot_to_fill(const struct rnv_store_model *model, const uint8_t *hash,
			     bool *goes_on)
{
	uint32_t current = rnv_model_current(model);

	*goes_on = false;
	if (model->has_hash != 0u && memcmp(model->hash, hash, RNV_STORE_HASH_BYTES) == 0) {
		*goes_on = true;
		return model->slot[0] == RNV_SLOT_FILLING ? 0u : 1u;
	}
	return current != RNV_STORE_NO_SLOT ? 1u - current : unused_slot(model);
}

/* The good mark goes before any of the slot is erased. */
static int begin_anew(struct rnv_store *store, uint32_t model, uint32_t slot, const uint8_t *hash)
{
	struct rnv_store_model *next = rnv_registry_edit(store, model);
	struct rnv_log log[2];

	if (next->confirmed == slot) { /* what stands in for it stays what is loaded */
		rnv_model_set_confirmed(next, rnv_model_current(next));
	}
	next->proven &= (uint8_t)~rnv_slot_bit(slot);
	if (next->slot[1u - slot] == RNV_SLOT_FILLING) {
		next->slot[1u - slot] = RNV_SLOT_EMPTY;
	}
	next->slot[slot] = RNV_SLOT_FILLING;
	rnv_log_model(&log[0], store, model, 1u << slot);
	log[1].kind = RNV_LOG_HASH;
	log[1].model = (uint8_t)model;
	memcpy(log[1].content, hash, RNV_STORE_HASH_BYTES);
	return rnv_registry_write(store, log, 2);
}

int rnv_store_fill_begin(struct rnv_store *store, uint32_t model, const uint8_t *hash,
			 uint32_t bytes, uint32_t *offset)
{
	struct rnv_store_model *to = rnv_store_model_get(store, model);
	int status = RNV_OK;
	bool goes_on;
	uint32_t slot;

	if (to == NULL) {
		return RNV_ENOENT;
	}
	if (bytes > store->config.layout[model].slot_bytes) {
		return RNV_ENOSPC;
	}
	if (to->trial != RNV_TRIAL_NONE) {
		return RNV_ESTATE;
	}
	slot = slot_to_fill(to, hash, &goes_on);
	if (to->views[slot] != 0u) {
		return RNV_EBUSY;
	}
	if (!goes_on || to->written > bytes) {
		status = begin_anew(store, model, slot, hash);
	} else if (store->writable == 0u) {
		/* Else what the last session left torn may say later that it is all written. */
		(void)rnv_registry_edit(store, model);
		status = rnv_registry_model(store, model, 0);
	}
	if (status != RNV_OK) {
		return status;
	}
	to->erase_next = 0;
	store->fill_model = (uint8_t)model;
	store->fill_slot = (uint8_t)slot;
	store->fill_erased = 0;
	store->position = to->written;
	*offset = to->written;
	return RNV_OK;
}

/* The flash has failed: what is in the slot is not used. */
static int give_up(struct rnv_store *store)
{
	uint32_t model = store->fill_model;

	rnv_registry_edit(store, model)->slot[store->fill_slot] = RNV_SLOT_EMPTY;
	store->fill_model = RNV_NO_FILL;
	(void)rnv_registry_model(store, model, 0);
	return RNV_EIO;
}

/* Record that everything before the position survives a reset. */
static int record(struct rnv_store *store)
{
	struct rnv_log log = {.kind = RNV_LOG_WRITTEN, .model = store->fill_model};

	if (store->position <= store->config.models[store->fill_model].written) {
		return RNV_OK;
	}
	rnv_put32(log.content, store->position);
	return rnv_registry_write(store, &log, 1);
}

/* Program units at an offset of the slot, or, from NULL, erase the sector there. */
static int change(struct rnv_store *store, uint32_t at, const uint8_t *from, uint32_t bytes)
{
	uint32_t model = store->fill_model;
	uint32_t slot = store->fill_slot;
	int status = rnv_slot_write(store, rnv_slot_offset(store, model, slot) + at, from, bytes);

	if (store->refused != 0u) {
		return status;
	}
	store->config.models[model].changes[slot]++;
	return status == RNV_OK ? RNV_OK : give_up(store);
}

/* What could not be recorded when a sector was complete is recorded before the next one begins. */
static int begin_sector(struct rnv_store *store)
{
	int status = record(store);

	if (status == RNV_EIO) {
		store->fill_model = RNV_NO_FILL;
	}
	if (status == RNV_OK) {
		status = change(store, store->position, NULL, 0);
	}
	if (status == RNV_OK) {
		store->fill_erased = 1;
	}
	return status;
}

/* Program the unit that is staged, which begins `staged` bytes before the position. */
static int program_staged(struct rnv_store *store, uint32_t staged)
{
	return change(store, store->position - staged, store->unit,
		      store->config.flash->geometry.unit_bytes);
}

/* Take what one program call can: up to the end of a unit that is staged, or whole units. */
static int take(struct rnv_store *store, const uint8_t *data, uint32_t bytes, uint32_t *taken)
{
	const struct rnv_flash_geometry *geometry = &store->config.flash->geometry;
	uint32_t staged = store->position % geometry->unit_bytes;
	uint32_t count =
		rnv_min(bytes, geometry->sector_bytes - store->position % geometry->sector_bytes);
	int status = RNV_OK;

	if (staged != 0u || count < geometry->unit_bytes) {
		count = rnv_min(count, geometry->unit_bytes - staged);
		memcpy(store->unit + staged, data, count);
		if (staged + count == geometry->unit_bytes) {
			status = program_staged(store, staged);
		}
	} else {
		count -= count % geometry->unit_bytes;
		status = change(store, store->position, data, count);
	}
	if (status != RNV_OK) {
		return status;
	}
	store->position += count;
	*taken = count;
	if (store->position % geometry->sector_bytes == 0u) {
		store->fill_erased = 0;
		(void)record(store); /* or later */
	}
	return RNV_OK;
}

int rnv_store_fill_write(struct rnv_store *store, const void *data, uint32_t bytes, uint32_t *taken)
{
	const struct rnv_store_model *model = being_filled(store);

	*taken = 0;
	if (model == NULL) {
		return RNV_ESTATE;
	}
	if (model->views[store->fill_slot] != 0u) {
		return RNV_EBUSY;
	}
	if (bytes > store->config.layout[store->fill_model].slot_bytes - store->position) {
		return RNV_ENOSPC;
	}
	if (bytes == 0u) {
		return RNV_OK;
	}
	if (store->position % store->config.flash->geometry.sector_bytes == 0u &&
	    store->fill_erased == 0u) {
		return begin_sector(store);
	}
	return take(store, data, bytes, taken);
}

int rnv_store_fill_end(struct rnv_store *store)
{
	const struct rnv_flash_geometry *geometry = &store->config.flash->geometry;
	const struct rnv_store_model *model = being_filled(store);
	uint32_t staged = store->position % geometry->unit_bytes;

	if (model == NULL) {
		return RNV_ESTATE;
	}
	if (staged != 0u) {
		int status;

		if (model->views[store->fill_slot] != 0u) {
			return RNV_EBUSY;
		}
		memset(store->unit + staged, (int)geometry->erased, geometry->unit_bytes - staged);
		status = program_staged(store, staged);
		if (status != RNV_OK) {
			return status;
		}
	}
	if (store->position % geometry->sector_bytes == 0u) {
		(void)record(store);
	}
	store->fill_model = RNV_NO_FILL;
	return RNV_OK;
}

void rnv_store_fill_leave(struct rnv_store *store)
{
	store->fill_model = RNV_NO_FILL;
}
