/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A region in a file and its doorbells, both ends in one process. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "posix/ipc.h"

#define BYTES   10000u
#define LONG_US 60000000u /* only a failure waits for it */

static char folder[] = "/tmp/rnv_ipc_XXXXXX";
static char path[64];
static char other[64];
static struct rnv_posix_ipc server;
static struct rnv_posix_ipc client;

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/region", folder);
	return 0;
}

static void remove_one(const char *ending)
{
	(void)snprintf(other, sizeof(other), "%s%s", path, ending);
	(void)remove(other);
}

static int clean(void **state)
{
	(void)state;
	remove_one("");
	remove_one(".server");
	remove_one(".client");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void open_both(void)
{
	assert_int_equal(rnv_posix_ipc_open(&client, path, BYTES, RNV_POSIX_IPC_CLIENT), 0);
	assert_int_equal(rnv_posix_ipc_open(&server, path, BYTES, RNV_POSIX_IPC_SERVER), 0);
}

static void close_both(void)
{
	rnv_posix_ipc_close(&server);
	rnv_posix_ipc_close(&client);
}

static void test_both_see_the_same_bytes(void **state)
{
	uint8_t *one;
	uint8_t *two;

	(void)state;
	open_both();
	one = server.region;
	two = client.region;
	assert_ptr_not_equal(one, two);
	assert_int_equal((uintptr_t)one % 64u, 0);
	for (uint32_t i = 0; i < BYTES; i++) {
		assert_int_equal(one[i], 0);
		one[i] = (uint8_t)(i * 7u);
	}
	for (uint32_t i = 0; i < BYTES; i++) {
		assert_int_equal(two[i], (uint8_t)(i * 7u));
	}
	close_both();
	/* And stay in the file, whatever is asked for later. */
	assert_int_equal(rnv_posix_ipc_open(&server, path, 10u, RNV_POSIX_IPC_SERVER), 0);
	assert_int_equal(rnv_posix_ipc_open(&client, path, BYTES + 1u, RNV_POSIX_IPC_CLIENT), 0);
	assert_int_equal(((uint8_t *)client.region)[BYTES - 1u], (uint8_t)((BYTES - 1u) * 7u));
	assert_int_equal(((uint8_t *)client.region)[BYTES], 0);
	close_both();
}

static void test_doorbells(void **state)
{
	(void)state;
	open_both();
	assert_int_equal(rnv_posix_ipc_wait(&server, 0), 0);
	assert_int_equal(rnv_posix_ipc_wait(&client, 0), 0);
	rnv_posix_ipc_ring(&client);
	assert_int_equal(rnv_posix_ipc_wait(&client, 0), 0);
	assert_int_equal(rnv_posix_ipc_wait(&server, LONG_US), 1);
	assert_int_equal(rnv_posix_ipc_wait(&server, 0), 0);
	rnv_posix_ipc_ring(&server);
	rnv_posix_ipc_ring(&server);
	assert_int_equal(rnv_posix_ipc_wait(&client, LONG_US), 1);
	assert_int_equal(rnv_posix_ipc_wait(&client, 1000), 0);
	rnv_posix_ipc_wake(&client);
	assert_int_equal(rnv_posix_ipc_wait(&server, 0), 0);
	assert_int_equal(rnv_posix_ipc_wait(&client, LONG_US), 1);
	/* Nobody takes what is rung: it neither blocks nor is an error. */
	errno = 77;
	for (uint32_t i = 0; i < 100000u; i++) {
		rnv_posix_ipc_ring(&client);
	}
	assert_int_equal(errno, 77);
	assert_int_equal(rnv_posix_ipc_wait(&server, LONG_US), 1);
	close_both();
}

/* Rung before the other side was there. */
static void test_a_doorbell_is_kept(void **state)
{
	(void)state;
	assert_int_equal(rnv_posix_ipc_open(&client, path, BYTES, RNV_POSIX_IPC_CLIENT), 0);
	rnv_posix_ipc_ring(&client);
	assert_int_equal(rnv_posix_ipc_open(&server, path, BYTES, RNV_POSIX_IPC_SERVER), 0);
	assert_int_equal(rnv_posix_ipc_wait(&server, LONG_US), 1);
	close_both();
}

static void test_one_of_each_side(void **state)
{
	struct rnv_posix_ipc second;

	(void)state;
	open_both();
	assert_int_equal(rnv_posix_ipc_open(&second, path, BYTES, RNV_POSIX_IPC_SERVER), -EBUSY);
	assert_null(second.region);
	assert_int_equal(rnv_posix_ipc_open(&second, path, BYTES, RNV_POSIX_IPC_CLIENT), -EBUSY);
	rnv_posix_ipc_close(&second); /* of nothing */
	rnv_posix_ipc_close(&server);
	assert_int_equal(rnv_posix_ipc_open(&second, path, BYTES, RNV_POSIX_IPC_SERVER), 0);
	rnv_posix_ipc_close(&second);
	rnv_posix_ipc_close(&client);
}

static void test_what_is_refused(void **state)
{
	char deep[5000];
	struct stat info;
	int file;

	(void)state;
	assert_int_equal(rnv_posix_ipc_open(NULL, path, BYTES, 0), -EINVAL);
	assert_int_equal(rnv_posix_ipc_open(&server, NULL, BYTES, 0), -EINVAL);
	assert_int_equal(rnv_posix_ipc_open(&server, path, 0, 0), -EINVAL);
	assert_int_equal(rnv_posix_ipc_open(&server, path, BYTES, 2), -EINVAL);
	assert_int_equal(stat(path, &info), -1);
	memset(deep, 'x', sizeof(deep) - 1u);
	deep[sizeof(deep) - 1u] = '\0';
	assert_int_equal(rnv_posix_ipc_open(&server, deep, BYTES, 0), -ENAMETOOLONG);
	assert_int_equal(rnv_posix_ipc_open(&server, "/no/such/folder/r", BYTES, 0), -ENOENT);
	/* A pipe where the file should be, a file where a pipe should be. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(rnv_posix_ipc_open(&server, path, BYTES, 0), -EINVAL);
	assert_int_equal(remove(path), 0);
	remove_one(".server");
	file = open(other, O_CREAT | O_WRONLY, 0600);
	assert_true(file >= 0);
	assert_int_equal(close(file), 0);
	assert_int_equal(rnv_posix_ipc_open(&server, path, BYTES, 0), -EINVAL);
	assert_int_equal(rnv_posix_ipc_open(&client, path, BYTES, 1), -EINVAL);
	assert_int_equal(server.mine, -1);
	assert_null(server.region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_both_see_the_same_bytes, clean),
		cmocka_unit_test_teardown(test_doorbells, clean),
		cmocka_unit_test_teardown(test_a_doorbell_is_kept, clean),
		cmocka_unit_test_teardown(test_one_of_each_side, clean),
		cmocka_unit_test_teardown(test_what_is_refused, clean),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
