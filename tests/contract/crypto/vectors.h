/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_CONTRACT_CRYPTO_VECTORS_H_
#define TESTS_CONTRACT_CRYPTO_VECTORS_H_

/*
 * Known answers, in hexadecimal. tests/python/test_crypto_vectors.py compares them with OpenSSL.
 *
 * Signatures with special values were made without a private key: for any u and v, and R = uG + vQ,
 * r = x of R, s = r / v and the hash u s (all mod n) are one of the key Q; and for any R, s and
 * hash, Q = (sR - hash G) / r is a key that made it.
 */

#include <stdint.h>

struct hash_vector {
	const char *text; /* NULL: a million times "a" */
	const char *sha256;
};

/* The empty message; and the examples of NIST for FIPS 180-4. */
static const struct hash_vector hash_vectors[] = {
	{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
	 "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	 "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
	{NULL, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

struct signature_vector {
	const char *xy;
	const char *hash;
	const char *signature;
};

/* All of them are good. */
static const struct signature_vector signature_vectors[] = {
	/* RFC 6979, A.2.5: with SHA-256, message = "sample" */
	{"60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
	 "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
	 "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf",
	 "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
	 "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"},
	/* The same key: message = "test" */
	{"60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
	 "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
	 "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	 "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
	 "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"},
	/* r = 5, s = 1, smaller than 2^256 - n: r + n and s + n have 256 bits, too */
	{"8aafa7086945f2b63beeb43e7aede0f4bcbc03c613ba98556b704020428e7842"
	 "800790e0c44fe3fc452a7272c150192a8aa4f161be7b2109d8bfb58c5ac6bad6",
	 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	 "0000000000000000000000000000000000000000000000000000000000000005"
	 "0000000000000000000000000000000000000000000000000000000000000001"},
	/* x of R is p - 3 and exceeds n: r is x - n */
	{"5d28af3f230c75da9041b56b9626e65277471f8df3eea5907a3c3a577b044f13"
	 "a5f059b0d1f51b3e3d44f260cddd6a07e584cb8a6575705e07bf654a360585c3",
	 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	 "000000000000000000000000000000004319055358e8617b0c46353d039cdaab"
	 "0000000000000000000000000000000000000000000000000000000000000001"},
	/* x of the key is 5: x + p has 256 bits, too */
	{"0000000000000000000000000000000000000000000000000000000000000005"
	 "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc",
	 "dfb6a972945c83e11323f4031bc3c499af3df27b36ff0e427ce555f06176e134",
	 "5f8cc122c491618542a6364e070f105f7b0ca6ef66300a2cabf7bc490a7c3c93"
	 "1ff585ebcc0d37694be09092bad2d2f1622d6bc87592269bc8b30c46e95a202c"},
};

enum {
	SAMPLE = 0, /* signature_vectors[] */
	SMALL_RS = 2,
	SMALL_KEY = 4,
};

/* A vector above with another key or signature; NULL: its own. None of them is good. */
struct bad_vector {
	uint8_t of;
	const char *must;
	const char *xy;
	const char *signature;
};

static const struct bad_vector bad_vectors[] = {
	{SAMPLE, "verify: refuses r = 0", NULL,
	 "0000000000000000000000000000000000000000000000000000000000000000"
	 "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"},
	{SAMPLE, "verify: refuses s = 0", NULL,
	 "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
	 "0000000000000000000000000000000000000000000000000000000000000000"},
	{SAMPLE, "verify: refuses r = s = 0", NULL,
	 "0000000000000000000000000000000000000000000000000000000000000000"
	 "0000000000000000000000000000000000000000000000000000000000000000"},
	{SAMPLE, "verify: refuses r = n", NULL,
	 "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
	 "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"},
	{SAMPLE, "verify: refuses s = n", NULL,
	 "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
	 "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"},
	{SAMPLE, "verify: refuses r = s = 2^256 - 1", NULL,
	 "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
	 "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"},
	{SMALL_RS, "verify: refuses r + n", NULL,
	 "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632556"
	 "0000000000000000000000000000000000000000000000000000000000000001"},
	{SMALL_RS, "verify: refuses s + n", NULL,
	 "0000000000000000000000000000000000000000000000000000000000000005"
	 "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552"},
	{SAMPLE, "verify: refuses s and r", NULL,
	 "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
	 "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"},
	{SAMPLE, "verify: refuses a signature without its last byte", NULL,
	 "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
	 "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acd00"},
	{SAMPLE, "verify: refuses a signature without its first byte", NULL,
	 "d48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7"
	 "cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda800"},
	{SAMPLE, "verify: refuses another key (RFC 5903, 8.1)",
	 "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180"
	 "5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3",
	 NULL},
	{SAMPLE, "verify: refuses the key -Q",
	 "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
	 "86fc01eef74743675be51616a9d7439b0d0e4df4d28160ae885c3d6b2bb9dd66",
	 NULL},
	{SAMPLE, "verify: refuses the key (0, 0)",
	 "0000000000000000000000000000000000000000000000000000000000000000"
	 "0000000000000000000000000000000000000000000000000000000000000000",
	 NULL},
	{SAMPLE, "verify: refuses a key that is no point",
	 "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
	 "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462298",
	 NULL},
	{SAMPLE, "verify: refuses the key (2^256 - 1, 2^256 - 1)",
	 "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
	 "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	 NULL},
	{SMALL_KEY, "verify: refuses x + p of the key",
	 "ffffffff00000001000000000000000000000001000000000000000000000004"
	 "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc",
	 NULL},
};

#endif /* TESTS_CONTRACT_CRYPTO_VECTORS_H_ */
