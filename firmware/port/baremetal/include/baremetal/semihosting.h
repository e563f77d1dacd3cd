/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef BAREMETAL_SEMIHOSTING_H_
#define BAREMETAL_SEMIHOSTING_H_

/**
 * @file
 * @brief Files, text and exit codes through Arm semihosting.
 *
 * The host is a debugger or an emulator that has semihosting enabled; without one, the first call
 * ends in a HardFault. All calls block until the host has answered. None may be used in an ISR,
 * except those that only print or exit, which fault handlers use.
 *
 * Failures are the host's errno, negated (Linux numbers with QEMU), or -5 (EIO) if the host gave
 * none. Every buffer belongs to the caller and is free again when the call returns.
 *
 * Source: Arm, "Semihosting for AArch32 and AArch64" (release 2.0).
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a file is opened; always binary. */
enum rnv_semihost_mode {
	RNV_SEMIHOST_READ = 1,  /**< An existing file, for reading. */
	RNV_SEMIHOST_WRITE = 5, /**< A new or emptied file, for writing. */
};

/**
 * @brief End the program; the host's process ends with this exit code.
 * @param code 0 to 255 reach the host unchanged.
 */
void rnv_semihost_exit(int code) __attribute__((noreturn));

/** @brief Print a zero-terminated string on the host's console. */
void rnv_semihost_puts(const char *text);

/** @brief Print a number in decimal. */
void rnv_semihost_put_i32(int32_t value);

/** @brief Print a number as 0x and eight hexadecimal digits. */
void rnv_semihost_put_hex(uint32_t value);

/**
 * @brief Open a file of the host.
 * @param path Zero-terminated; a relative path starts at the host program's working directory.
 * @return A handle >= 0, or the negated errno.
 */
int rnv_semihost_open(const char *path, enum rnv_semihost_mode mode);

/** @brief Close a file. @return 0, or the negated errno. */
int rnv_semihost_close(int file);

/** @brief Length of an open file in bytes. @return >= 0, or the negated errno. */
int32_t rnv_semihost_length(int file);

/**
 * @brief Read up to @p bytes from the file's position on.
 * @return Bytes read; fewer than asked for at the end of the file. The protocol cannot tell an
 * error from the end of the file, so a caller that knows the length must compare.
 */
size_t rnv_semihost_read(int file, void *buffer, size_t bytes);

/** @brief Write @p bytes. @return Bytes written; fewer than asked for is a failure. */
size_t rnv_semihost_write(int file, const void *buffer, size_t bytes);

/**
 * @brief Fetch the command line and split it at spaces.
 * @param buffer Holds the words; must live as long as @p argv is used.
 * @param bytes Size of @p buffer.
 * @param argv Receives a pointer to each word.
 * @param max_args Length of @p argv.
 * @return Number of words, or negative: the host's errno if it has no command line or @p buffer is
 * too small, -7 (E2BIG) if there are more than @p max_args words.
 */
int rnv_semihost_args(char *buffer, size_t bytes, char **argv, int max_args);

#ifdef __cplusplus
}
#endif

#endif /* BAREMETAL_SEMIHOSTING_H_ */
