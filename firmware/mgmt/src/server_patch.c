/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A file of its own: linked where patches are taken. */

#include "mgmt/server.h"

int rnv_server_accept_patches(struct rnv_server *server, struct rnv_ota_patch *patch)
{
	return rnv_ota_accept_patches(&server->ota, patch);
}
