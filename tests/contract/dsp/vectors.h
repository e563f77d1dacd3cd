/*
 * SPDX-FileCopyrightText: 2026 The Ranvier authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef TESTS_CONTRACT_DSP_VECTORS_H_
#define TESTS_CONTRACT_DSP_VECTORS_H_

/*
 * CRC-32 of the little-endian spectra that tflite-micro's SignalRfft gives for
 * dsp_contract_samples(); tests/python/test_dsp.py computes them again where tflite-micro is
 * installed.
 */

#include <stdint.h>

struct dsp_vector {
	uint16_t points;
	uint8_t shift; /* 0: samples beyond RNV_DSP_FFT_SAFE, so parts may wrap */
	uint32_t seed;
	uint32_t crc;
};

static const struct dsp_vector dsp_vectors[] = {
	{32, 0, 1, 0xaa3296e4},      {32, 1, 2, 0x3d005eb7},      {32, 6, 7, 0x7fcd03da},
	{64, 0, 1001, 0x74b3e669},   {64, 1, 1002, 0xebc78bc0},   {64, 6, 1007, 0x718b683d},
	{128, 0, 2001, 0x1afab047},  {128, 1, 2002, 0xbf0633ff},  {128, 6, 2007, 0x753b8f56},
	{256, 0, 3001, 0x940ecdd1},  {256, 1, 3002, 0xda625937},  {256, 6, 3007, 0x77dad959},
	{512, 0, 4001, 0x7dda47a8},  {512, 1, 4002, 0xb2a6e5c9},  {512, 6, 4007, 0x1f9c3a77},
	{1024, 0, 5001, 0xf058da0e}, {1024, 1, 5002, 0xdcf1fcf3}, {1024, 6, 5007, 0x5a7c0294},
	{2048, 0, 6001, 0xe219ca75}, {2048, 1, 6002, 0xa4bd6004}, {2048, 6, 6007, 0xb4f6af88},
};

#endif /* TESTS_CONTRACT_DSP_VECTORS_H_ */
