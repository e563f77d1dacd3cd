/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The suite against Mbed TLS, and against the same with one MUST broken each: the suite has to name
 * it.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract.h"
#include "ranvier/psa/crypto.h"
#include "ranvier/status.h"

static struct rnv_psa psa;
static struct rnv_crypto good;

static void test_psa(void **state)
{
	uint32_t checks;

	(void)state;
	assert_null(crypto_contract_run(&good, &checks));
	assert_int_equal(checks, 7);
}

static void test_two_seams(void **state)
{
	struct rnv_psa psa2;
	struct rnv_crypto other;
	uint8_t hashes[2][RNV_SHA256_BYTES];

	(void)state;
	assert_int_equal(rnv_psa_init(&psa2, &other), RNV_OK);
	assert_int_equal(good.hash_start(good.context), RNV_OK);
	assert_int_equal(other.hash_start(other.context), RNV_OK);
	assert_int_equal(good.hash_update(good.context, "ab", 2), RNV_OK);
	assert_int_equal(other.hash_update(other.context, "abc", 3), RNV_OK);
	assert_int_equal(good.hash_update(good.context, "c", 1), RNV_OK);
	assert_int_equal(other.hash_finish(other.context, hashes[0]), RNV_OK);
	assert_int_equal(good.hash_finish(good.context, hashes[1]), RNV_OK);
	assert_memory_equal(hashes[0], hashes[1], RNV_SHA256_BYTES);
}

static void test_null(void **state)
{
	struct rnv_crypto other;

	(void)state;
	assert_int_equal(rnv_psa_init(NULL, &other), RNV_EINVAL);
	assert_int_equal(rnv_psa_init(&psa, NULL), RNV_EINVAL);
}

/* --- what breaks a MUST ---------------------------------------------------------------------- */

enum breach {
	NONE,
	START_FAILS,
	START_GOES_ON,
	UPDATE_STARTS,
	UPDATE_REFUSES_NONE,
	UPDATE_DROPS_TAILS,
	FINISH_STARTS,
	FINISH_DOES_NOT_END,
	FINISH_WRITES_BEYOND,
	WRONG_HASH,
	ACCEPTS_ALL,
	REFUSES_ALL,
	REFUSES_SMALL_R,
	ACCEPTS_ZERO_R,
	REDUCES_S,
	IGNORES_HASH,
	FAILS_INSTEAD,
	WEARS_OUT,
	WRITES_ARGUMENT,
	BREACH_COUNT,
};

static const char *const expected[BREACH_COUNT] = {
	[NONE] = NULL,
	[START_FAILS] = "hash_start: begins",
	[START_GOES_ON] = "hash_start: drops what is under way",
	[UPDATE_STARTS] = "hash_update: RNV_ESTATE where no hash is under way",
	[UPDATE_REFUSES_NONE] = "hash_update: takes none",
	[UPDATE_DROPS_TAILS] = "hash_update: pieces of any length",
	[FINISH_STARTS] = "hash_finish: RNV_ESTATE where no hash is under way",
	[FINISH_DOES_NOT_END] = "hash_finish: ends the hash",
	[FINISH_WRITES_BEYOND] = "hash_start: drops what is under way",
	[WRONG_HASH] = "hash_finish: the SHA-256",
	[ACCEPTS_ALL] = "verify: refuses r = 0",
	[REFUSES_ALL] = "verify: RNV_OK for a good signature",
	[REFUSES_SMALL_R] = "verify: RNV_OK for a good signature",
	[ACCEPTS_ZERO_R] = "verify: refuses r = 0",
	[REDUCES_S] = "verify: refuses s + n",
	[IGNORES_HASH] = "verify: refuses a changed bit",
	[FAILS_INSTEAD] = "verify: refuses r = 0",
	[WEARS_OUT] = "verify: RNV_OK after what was refused",
	[WRITES_ARGUMENT] = "verify: its arguments are only read",
};

static enum breach now;
static bool under_way;
static uint32_t verified;
static uint32_t hashed;

static int bad_start(void *context)
{
	if (now == START_FAILS || (now == START_GOES_ON && under_way)) {
		return (now == START_FAILS) ? RNV_EIO : RNV_OK;
	}
	under_way = true;
	return good.hash_start(context);
}

static int bad_update(void *context, const void *data, uint32_t bytes)
{
	if (!under_way && now == UPDATE_STARTS) {
		return RNV_OK;
	}
	if (bytes == 0u && now == UPDATE_REFUSES_NONE && under_way) {
		return (hashed > 3u) ? RNV_EINVAL : RNV_OK; /* the empty text is hashed before */
	}
	if (now == UPDATE_DROPS_TAILS && bytes > 4u && bytes % 4u == 1u) {
		bytes--;
	}
	return good.hash_update(context, data, bytes);
}

static int bad_finish(void *context, uint8_t *hash)
{
	static const uint8_t wrong = 0x11;
	int status;

	if (!under_way && now == FINISH_STARTS) {
		return RNV_OK;
	}
	if (!under_way) {
		return good.hash_finish(context, hash);
	}
	status = good.hash_finish(context, hash);
	under_way = false;
	hashed++;
	hash[0] ^= (now == WRONG_HASH && hashed > 1u) ? wrong : 0;
	if (now == FINISH_WRITES_BEYOND) {
		hash[RNV_SHA256_BYTES] = 0;
	}
	if (now == FINISH_DOES_NOT_END) {
		(void)good.hash_start(context);
	}
	return status;
}

static int bad_verify(void *context, const uint8_t *xy, const uint8_t *hash,
		      const uint8_t *signature)
{
	static const uint8_t zero[32];
	static const uint8_t n_plus_1[32] = {0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00,
					     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					     0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84,
					     0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x52};
	const int status = good.verify(context, xy, hash, signature);

	verified++;
	if (now == ACCEPTS_ALL || (now == ACCEPTS_ZERO_R && memcmp(signature, zero, 32) == 0) ||
	    (now == REDUCES_S && memcmp(signature + 32, n_plus_1, 32) == 0) ||
	    (now == IGNORES_HASH && verified > 30u && hash[0] != 0xaf)) {
		return RNV_OK;
	}
	if (now == REFUSES_ALL || (now == WEARS_OUT && verified > 16u) ||
	    (now == REFUSES_SMALL_R && memcmp(signature, zero, 16) == 0)) {
		return RNV_EBADMSG;
	}
	if (now == WRITES_ARGUMENT) {
		((uint8_t *)(uintptr_t)signature)[63] ^= (verified > 40u) ? 1 : 0;
	}
	return (now == FAILS_INSTEAD && status == RNV_EBADMSG) ? RNV_EIO : status;
}

static void test_each_must_can_be_broken(void **state)
{
	struct rnv_crypto bad = {&psa, bad_start, bad_update, bad_finish, bad_verify};

	(void)state;
	for (int breach = NONE; breach < BREACH_COUNT; breach++) {
		uint32_t checks;
		const char *broken;

		assert_int_equal(rnv_psa_init(&psa, &good), RNV_OK);
		now = (enum breach)breach;
		under_way = false;
		verified = 0;
		hashed = 0;
		broken = crypto_contract_run(&bad, &checks);
		(void)psa_hash_abort(&psa.hash);
		if (expected[breach] == NULL) {
			assert_null(broken);
		} else {
			assert_non_null(broken);
			assert_string_equal(broken, expected[breach]);
		}
	}
}

static int setup(void **state)
{
	(void)state;
	return rnv_psa_init(&psa, &good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_psa, setup),
		cmocka_unit_test_setup(test_two_seams, setup),
		cmocka_unit_test_setup(test_null, setup),
		cmocka_unit_test(test_each_must_can_be_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
