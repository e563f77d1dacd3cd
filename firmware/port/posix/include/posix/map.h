/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef POSIX_MAP_H_
#define POSIX_MAP_H_

/**
 * @file
 * @brief A package file in read-only memory, as flash holds it on a device.
 *
 * @code
 *   struct rnv_posix_map map;
 *   struct rnv_package package;
 *   int status = rnv_posix_map(&map, "model.rnv");
 *
 *   if (status == 0) {
 *           status = rnv_package_open(&package, map.data, map.bytes, 0, NULL);
 *   }
 * @endcode
 *
 * A package is verified once and trusted from then on, so the memory holds a copy: what happens to
 * the file later, also that it is overwritten or truncated in place, does not reach it. A file
 * mapped in place would change under its verified view, or end the program with SIGBUS.
 *
 * Failures are the system's errno, negated; on Linux these numbers and those of `ranvier/status.h`
 * are the same.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A file in memory. The caller owns it; both members are 0 while nothing is mapped. */
struct rnv_posix_map {
	const void *data; /**< first byte, at the start of a page, so 16-byte aligned; read-only */
	uint32_t bytes;   /**< the file's size */
};

/**
 * @brief Take a file into read-only memory.
 *
 * Blocks while the file is read. Any thread may call it; not for a signal handler. The contents are
 * not looked at: that is rnv_package_open()'s.
 *
 * @param map  receives the memory, which the caller gives back with rnv_posix_unmap(); both members
 *             are 0 after a failure
 * @param path file, zero-terminated
 * @retval 0            mapped
 * @retval -EINVAL      a null pointer, or neither a file nor a directory (a pipe, a device)
 * @retval -EISDIR      a directory
 * @retval -ENOENT      no such file
 * @retval -EACCES      the file may not be read
 * @retval -EFBIG       4 GiB or more
 * @retval RNV_EFORMAT  the file is empty
 * @retval -EBUSY       the file became shorter while it was read: somebody is writing it
 * @retval -ENOMEM      no memory
 * @return another negated errno of open(), fstat(), mmap(), read() or mprotect()
 */
int rnv_posix_map(struct rnv_posix_map *map, const char *path);

/**
 * @brief Give the memory back; no view of the package may be used any more.
 *
 * @param map a map, mapped or not; both members are 0 afterwards
 */
void rnv_posix_unmap(struct rnv_posix_map *map);

#ifdef __cplusplus
}
#endif

#endif /* POSIX_MAP_H_ */
