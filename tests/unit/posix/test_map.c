/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* rnv_posix_map(): what a file has is what is mapped, whatever happens to the file later. */

#define _DEFAULT_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <posix/map.h>
#include <ranvier/package.h>
#include <ranvier/status.h>

#define BYTES 10000U

static char folder[] = "rnv_map_XXXXXX"; /* in the working folder */
static char path[64];
static uint8_t content[BYTES];

static void write_file(const char *name, const void *data, size_t bytes)
{
	FILE *file = fopen(name, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static int setup(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL) {
		return -1;
	}
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	for (size_t i = 0; i < BYTES; i++) {
		content[i] = (uint8_t)(i * 7U + i / 256U);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(folder);
}

static void assert_fails(const char *name, int status)
{
	struct rnv_posix_map map = {content, 1};

	assert_int_equal(rnv_posix_map(&map, name), status);
	assert_null(map.data);
	assert_int_equal(map.bytes, 0);
	rnv_posix_unmap(&map); /* of what is not mapped: nothing */
}

static void test_contents_of_any_size(void **state)
{
	static const uint32_t sizes[] = {1, 15, 16, 4095, 4096, 4097, BYTES};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct rnv_posix_map map;

		write_file(path, content, sizes[i]);
		assert_int_equal(rnv_posix_map(&map, path), 0);
		assert_int_equal(map.bytes, sizes[i]);
		assert_int_equal((uintptr_t)map.data % RNV_PACKAGE_ALIGN, 0);
		assert_memory_equal(map.data, content, sizes[i]);
		rnv_posix_unmap(&map);
		assert_null(map.data);
		assert_int_equal(map.bytes, 0);
	}
}

static void test_refused(void **state)
{
	(void)state;
	assert_fails("no_such_folder/file", -ENOENT);
	assert_fails(folder, -EISDIR);
	assert_fails("/dev/null", -EINVAL);
	write_file(path, content, 0);
	assert_fails(path, RNV_EFORMAT);
	assert_fails(NULL, -EINVAL);
	assert_int_equal(rnv_posix_map(NULL, path), -EINVAL);
	if (geteuid() != 0) { /* root may read everything */
		assert_int_equal(chmod(path, 0), 0);
		assert_fails(path, -EACCES);
	}
	assert_int_equal(unlink(path), 0);
}

/* A pipe without a writer: open() would wait for ever. */
static void test_pipe(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	(void)alarm(10);
	assert_fails(path, -EINVAL);
	(void)alarm(0);
	assert_int_equal(unlink(path), 0);
}

static void test_too_large(void **state)
{
	(void)state;
	write_file(path, content, 1);
	if (truncate(path, (off_t)UINT32_MAX + 1) != 0) {
		skip(); /* a file system without sparse files of this size */
	}
	assert_fails(path, -EFBIG);
}

/* sysfs states a page and has less: as a file that is cut while it is read. */
static void test_shorter_than_stated(void **state)
{
	static const char name[] = "/sys/devices/system/cpu/online";
	struct stat info;

	(void)state;
	if (stat(name, &info) != 0 || info.st_size < 4096) {
		skip();
	}
	assert_fails(name, -EBUSY);
}

/* After each kind of change to the file, the memory holds what was mapped. */
static void test_file_changes(void **state)
{
	static const uint8_t other[2U * BYTES] = {0};
	struct rnv_posix_map map;
	char beside[sizeof(path) + 8];

	(void)state;
	write_file(path, content, BYTES);
	assert_int_equal(rnv_posix_map(&map, path), 0);
	write_file(path, other, sizeof(other)); /* overwritten in place, larger */
	assert_memory_equal(map.data, content, BYTES);
	assert_int_equal(truncate(path, 1), 0); /* a file mapped in place: SIGBUS */
	assert_memory_equal(map.data, content, BYTES);
	(void)snprintf(beside, sizeof(beside), "%s.new", path);
	write_file(beside, other, 16);
	assert_int_equal(rename(beside, path), 0); /* replaced */
	assert_memory_equal(map.data, content, BYTES);
	assert_int_equal(unlink(path), 0);
	assert_memory_equal(map.data, content, BYTES);
	rnv_posix_unmap(&map);
}

static void test_memory_is_read_only(void **state)
{
	struct rnv_posix_map map;
	int ended;
	pid_t child;

	(void)state;
	write_file(path, content, BYTES);
	assert_int_equal(rnv_posix_map(&map, path), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)signal(SIGSEGV, SIG_DFL); /* the sanitizer's report would be noise */
		*(volatile uint8_t *)(uintptr_t)map.data = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(child, &ended, 0), child);
	assert_true(WIFSIGNALED(ended));
	assert_int_equal(WTERMSIG(ended), SIGSEGV);
	rnv_posix_unmap(&map);
}

static void test_no_descriptor_is_kept(void **state)
{
	struct rnv_posix_map map;
	int before = open("/dev/null", O_RDONLY);
	int after;

	(void)state;
	assert_int_equal(close(before), 0);
	write_file(path, content, BYTES);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(rnv_posix_map(&map, path), 0);
		rnv_posix_unmap(&map);
		assert_fails(folder, -EISDIR);
	}
	after = open("/dev/null", O_RDONLY);
	assert_int_equal(after, before);
	assert_int_equal(close(after), 0);
}

/* A truncated package is a file like any other; the verifier refuses it. */
static void test_truncated_package(void **state)
{
	struct rnv_header header = {
		.magic = RNV_PACKAGE_MAGIC,
		.format = RNV_PACKAGE_FORMAT,
		.header_bytes = RNV_HEADER_BYTES,
		.total_bytes = 4096,
	};
	struct rnv_package package;
	struct rnv_posix_map map;
	struct rnv_diag diag;

	(void)state;
	write_file(path, &header, sizeof(header));
	assert_int_equal(rnv_posix_map(&map, path), 0);
	assert_int_equal(rnv_package_open(&package, map.data, map.bytes, 0, &diag), RNV_EFORMAT);
	assert_int_equal(diag.what, RNV_WHAT_SIZE);
	assert_int_equal(diag.value, 4096);
	rnv_posix_unmap(&map);
	write_file(path, &header, 8);
	assert_int_equal(rnv_posix_map(&map, path), 0);
	assert_int_equal(rnv_package_open(&package, map.data, map.bytes, 0, &diag), RNV_EFORMAT);
	assert_int_equal(diag.what, RNV_WHAT_SIZE);
	rnv_posix_unmap(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contents_of_any_size),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_shorter_than_stated),
		cmocka_unit_test(test_file_changes),
		cmocka_unit_test(test_memory_is_read_only),
		cmocka_unit_test(test_no_descriptor_is_kept),
		cmocka_unit_test(test_truncated_package),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
