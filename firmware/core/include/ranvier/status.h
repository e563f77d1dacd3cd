/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef RANVIER_STATUS_H_
#define RANVIER_STATUS_H_

/**
 * @file
 * @brief The one set of return codes of the core.
 *
 * Functions that can fail return an `int`: zero or a positive count on success, one of these
 * negative codes on failure. The numbers are those that errno has on Linux; they do not depend on
 * the C library, whose errno may be numbered otherwise, and the core never includes <errno.h>.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** Return codes; each function documents which of them it returns and why. */
enum rnv_status {
	RNV_OK = 0,           /**< Success. */
	RNV_ENOENT = -2,      /**< No such object: never was, or a handle of one that is gone. */
	RNV_EIO = -5,         /**< A device reported a fault. */
	RNV_EAGAIN = -11,     /**< Not now: a queue is full, or the answer is not there yet. */
	RNV_ENOMEM = -12,     /**< The caller's memory is too small; the need is reported. */
	RNV_EACCES = -13,     /**< Not permitted: signature, key, or security version. */
	RNV_EALIGN = -14,     /**< An address lacks the alignment that the function demands. */
	RNV_EBUSY = -16,      /**< The object is in use in a way that excludes the request. */
	RNV_EEXIST = -17,     /**< An object of that name exists. */
	RNV_EINVAL = -22,     /**< An argument breaks the function's contract. */
	RNV_ENOSPC = -28,     /**< Larger than the place that is meant for it. */
	RNV_ETIME = -62,      /**< The deadline is over, or could not be met. */
	RNV_EBADMSG = -74,    /**< Data does not match its checksum or its expected value. */
	RNV_EOVERFLOW = -75,  /**< A size or product exceeds what 32 bits can hold. */
	RNV_ESTATE = -77,     /**< The call does not fit the object's present state. */
	RNV_EFORMAT = -84,    /**< A package breaks the format: not a package, or damaged. */
	RNV_ENOTSUP = -95,    /**< A well-formed package uses a kind that this reader lacks. */
	RNV_ENOBUFS = -105,   /**< Dropped to make room for a newer one. */
	RNV_ETIMEDOUT = -110, /**< A device did not answer in time. */
	RNV_ESTALE = -116,    /**< Not the one meant: state of no completed job, other base. */
	RNV_ECANCELED = -125, /**< Cancelled. */
};

#ifdef __cplusplus
}
#endif

#endif /* RANVIER_STATUS_H_ */
