/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#include <baremetal/semihosting.h>

#include <string.h>

/* Operation numbers of the protocol. */
enum {
	SYS_OPEN = 0x01,
	SYS_CLOSE = 0x02,
	SYS_WRITE0 = 0x04,
	SYS_WRITE = 0x05,
	SYS_READ = 0x06,
	SYS_FLEN = 0x0C,
	SYS_ERRNO = 0x13,
	SYS_GET_CMDLINE = 0x15,
	SYS_EXIT_EXTENDED = 0x20,
};

#define ADP_STOPPED_APPLICATION_EXIT 0x20026U

#define HOST_E2BIG 7
#define HOST_EIO   5

static int32_t call(uint32_t operation, const void *argument)
{
	register uint32_t r0 __asm__("r0") = operation;
	register const void *r1 __asm__("r1") = argument;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return (int32_t)r0;
}

static int host_error(void)
{
	int32_t error = call(SYS_ERRNO, NULL);

	return error > 0 ? (int)-error : -HOST_EIO;
}

void rnv_semihost_exit(int code)
{
	const uint32_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, (uint32_t)code};

	for (;;) {
		(void)call(SYS_EXIT_EXTENDED, block);
	}
}

void rnv_semihost_puts(const char *text)
{
	(void)call(SYS_WRITE0, text);
}

void rnv_semihost_put_i32(int32_t value)
{
	char text[12];
	char *p = &text[sizeof(text) - 1];
	uint32_t rest = value < 0 ? 0U - (uint32_t)value : (uint32_t)value;

	*p = '\0';
	do {
		*--p = (char)('0' + rest % 10U);
		rest /= 10U;
	} while (rest != 0U);
	if (value < 0) {
		*--p = '-';
	}
	rnv_semihost_puts(p);
}

void rnv_semihost_put_hex(uint32_t value)
{
	char text[11] = "0x";

	for (int i = 0; i < 8; i++) {
		text[2 + i] = "0123456789abcdef"[(value >> (28 - 4 * i)) & 0xFU];
	}
	text[10] = '\0';
	rnv_semihost_puts(text);
}

int rnv_semihost_open(const char *path, enum rnv_semihost_mode mode)
{
	const uint32_t block[3] = {(uint32_t)(uintptr_t)path, (uint32_t)mode,
				   (uint32_t)strlen(path)};
	int32_t file = call(SYS_OPEN, block);

	return file >= 0 ? (int)file : host_error();
}

int rnv_semihost_close(int file)
{
	const uint32_t block[1] = {(uint32_t)file};

	return call(SYS_CLOSE, block) == 0 ? 0 : host_error();
}

int32_t rnv_semihost_length(int file)
{
	const uint32_t block[1] = {(uint32_t)file};
	int32_t bytes = call(SYS_FLEN, block);

	return bytes >= 0 ? bytes : host_error();
}

/* SYS_READ and SYS_WRITE return how many bytes they did not transfer. */
static size_t transfer(uint32_t operation, int file, const void *buffer, size_t bytes)
{
	const uint32_t block[3] = {(uint32_t)file, (uint32_t)(uintptr_t)buffer, (uint32_t)bytes};
	uint32_t left = (uint32_t)call(operation, block);

	return left <= bytes ? bytes - left : 0U;
}

size_t rnv_semihost_read(int file, void *buffer, size_t bytes)
{
	return transfer(SYS_READ, file, buffer, bytes);
}

size_t rnv_semihost_write(int file, const void *buffer, size_t bytes)
{
	return transfer(SYS_WRITE, file, buffer, bytes);
}

int rnv_semihost_args(char *buffer, size_t bytes, char **argv, int max_args)
{
	uint32_t block[2] = {(uint32_t)(uintptr_t)buffer, (uint32_t)bytes};
	int count = 0;

	if (call(SYS_GET_CMDLINE, block) != 0) {
		return host_error();
	}
	for (char *p = buffer; *p != '\0';) {
		if (*p == ' ') {
			*p++ = '\0';
			continue;
		}
		if (count == max_args) {
			return -HOST_E2BIG;
		}
		argv[count++] = p;
		while (*p != ' ' && *p != '\0') {
			p++;
		}
	}
	return count;
}
