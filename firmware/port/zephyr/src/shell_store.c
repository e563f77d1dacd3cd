/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* `ranvier store`: the models of the store, and its registry. */

#include <ranvier/status.h>
#include <ranvier/zephyr/store.h>

#include "shell_internal.h"

static const char *const slot_states[] = {
	[RNV_SLOT_EMPTY] = "empty", [RNV_SLOT_FILLING] = "filling",   [RNV_SLOT_GOOD] = "good",
	[RNV_SLOT_BAD] = "bad",     [RNV_SLOT_REJECTED] = "rejected",
};

static const char *const trials[] = {
	[RNV_TRIAL_PENDING] = "pending",
	[RNV_TRIAL_TRYING] = "trying",
};

static void print_slot(const struct shell *sh, const struct rnv_server_model_info *info,
		       uint32_t number)
{
	const struct rnv_server_slot *slot = &info->slots[number];
	const char *confirmed = (info->store.confirmed == number) ? ", confirmed" : "";
	const char *running = (info->running == number) ? ", running" : "";

	if (slot->bytes == 0U) {
		shell_print(sh, "  slot %u: %s%s%s, filled %u times", number,
			    slot_states[slot->state], confirmed, running, slot->fills);
		return;
	}
	shell_print(sh,
		    "  slot %u: %s%s%s, filled %u times; %u bytes, version %u.%u.%u, "
		    "security version %u, crc 0x%08x, key %08x",
		    number, slot_states[slot->state], confirmed, running, slot->fills, slot->bytes,
		    slot->version[0], slot->version[1], slot->version[2], slot->security_version,
		    slot->crc, slot->key);
}

static void print_model(const struct shell *sh, const struct rnv_server_model_info *info)
{
	shell_print(sh, "%s: slots of %u bytes, security version at least %u", info->store.name,
		    info->store.slot_bytes, info->store.floor);
	print_slot(sh, info, 0);
	print_slot(sh, info, 1);
	if (info->store.trial != RNV_TRIAL_NONE) {
		shell_print(sh, "  trial of slot %u: %s, loaded %u times", info->store.trial_slot,
			    trials[info->store.trial], info->store.tries);
	}
	if (info->error != RNV_OK) {
		shell_print(sh, "  not loaded: %s (%d)", rnv_shell_status(info->error),
			    info->error);
	}
}

static int cmd_store(const struct shell *sh, size_t argc, char **argv)
{
	struct rnv_server *server = rnv_runtime_server(K_NO_WAIT);
	struct rnv_server_info info;
	struct rnv_server_model_info model;

	ARG_UNUSED(argc);
	ARG_UNUSED(argv);
	if (server == NULL) {
		shell_error(sh, "the store is not mounted, or still loads its models; see the log");
		return RNV_ESTATE;
	}
	rnv_server_info_get(server, &info);
	for (uint32_t i = 0; rnv_server_model_get(server, i, &model) == RNV_OK; i++) {
		print_model(sh, &model);
	}
	shell_print(sh, "registry: generation %u, %u of %u entries, sectors erased %u and %u times",
		    info.store.generation, info.store.entries, info.store.room,
		    info.store.erases[0], info.store.erases[1]);
	shell_print(sh, "  unreadable %u, marginal %u; keys %u, revoked %u", info.store.bad_entries,
		    info.store.marginal, info.key_count, info.store.revoked_count);
	if (info.unsigned_allowed != 0U) {
		shell_warn(sh, "unsigned models are accepted: for development only");
	}
	return 0;
}

SHELL_SUBCMD_ADD((ranvier), store, NULL, "Models of the store: slots, trials; its registry",
		 cmd_store, 1, 0);
