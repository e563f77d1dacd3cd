# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants that no test can kill, and why: by file, and line before and after.

An entry that is no mutant any more, because its line changed, is stale; mutate.py says so.
"""

from __future__ import annotations

_KERNELS = "firmware/core/src/kernels"
_COMPILER = "host/src/ranvier/compiler"
_SCHED = "firmware/core/src/sched"
_PROF = "firmware/core/src/prof"
_MINIMUM = "the lower of two equal numbers is either of them"
_SELECTED = "SEL takes bytes 0 and 2 of this register only; the byte that differs is byte 3"
_STORED_16 = "only the low 16 bits of the register are stored"
_POINT = "another point of the same window is chosen, and proven as any other"
_NEGATIVE = "NumPy takes any negative size for the one that follows from the others"
_LARGER = "an array that is larger than needed"
_SIGN = "all bits are the sign, for a shift by 31 or by 32"
_EDGE = "windows inside are taken the slower way of those at an edge, to the same outputs"
_FILLED = "PAD fills the output with these bytes, then the box of all elements covers them"
_TRUTH = "every number but 0 is true"
_EQUAL = "of two equal numbers either one, or their difference 0"
_SLOWER = "the slower way to the same decisions; benchmarks/sched counts it"
_UNREAD = "nobody reads it before it is set again"

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (f"{_KERNELS}/dsp/prepare.S", "lsr	lr, lr, #8", "asr	lr, lr, #8"): _SELECTED,
    (
        f"{_KERNELS}/dsp/interleave.S",
        "lsr	ch0, ch0, #8",
        "asr	ch0, ch0, #8",
    ): _SELECTED,
    (
        f"{_KERNELS}/dsp/depthwise_s2.S",
        "bfi	acc0, acc1, #8, #8",
        "bfi	acc0, acc1, #8, #9",
    ): _STORED_16,
    (
        f"{_KERNELS}/dsp/depthwise_s2.S",
        "bfi	acc2, acc3, #8, #8",
        "bfi	acc2, acc3, #8, #9",
    ): _STORED_16,
    (
        f"{_KERNELS}/dsp/depthwise_s2.S",
        "cmp	r2, #0",
        "cmn	r2, #0",
    ): "for 0 the flag Z is the same",
    (
        f"{_KERNELS}/dsp/fully_connected_asm.S",
        "TURN_END direct, DIRECT_LOOP, DIRECT_BYTES",
        "TURN_END direct, DIRECT_BYTES, DIRECT_LOOP",
    ): "the macro only multiplies the two, for a check by the assembler",
    (
        f"{_KERNELS}/dsp/fully_connected.c",
        "RNV_DSP_PICK(rnv_dsp_pixels_one)((const void *)&last, 0, column + 2u * whole, 1);",
        "RNV_DSP_PICK(rnv_dsp_pixels_one)((const void *)&last, 1, column + 2u * whole, 1);",
    ): "the step to the next pixel does not matter for one pixel",
    (
        f"{_KERNELS}/dsp/depthwise.c",
        "to += (first < 0) ? -first * PITCH : 0;",
        "to += (first <= 0) ? -first * PITCH : 0;",
    ): "0 times the pitch is 0",
    (
        f"{_KERNELS}/dsp/winograd.c",
        ".bytes = ((uint32_t)p->in_w < room) ? (uint32_t)p->in_w : room,",
        ".bytes = ((uint32_t)p->in_w <= room) ? (uint32_t)p->in_w : room,",
    ): _MINIMUM,
    (
        f"{_KERNELS}/base/fully_connected.c",
        "int8_t last[4] = {0};",
        "int8_t last[5] = {0};",
    ): _LARGER,
    (
        f"{_KERNELS}/base/select.h",
        "#define RNV_BASE_ASM        1",
        "#define RNV_BASE_ASM        2",
    ): "it is only asked whether it is 0",
    (
        f"{_KERNELS}/planes/conv_pixels.c",
        "int32_t first = (x < 0) ? 0 : x;",
        "int32_t first = (x < 1) ? 0 : x;",
    ): "both give 0 for an x of 0",
    (
        f"{_KERNELS}/planes/conv_window.h",
        "return (a < b) ? a : b;",
        "return (a <= b) ? a : b;",
    ): _MINIMUM,
    (
        f"{_KERNELS}/planes/view.h",
        "return (until_wrap < rows) ? until_wrap : rows;",
        "return (until_wrap <= rows) ? until_wrap : rows;",
    ): _MINIMUM,
    (
        f"{_KERNELS}/planes/depthwise_rows.c",
        "p->columns = 0;",
        ";",
    ): "no row of a height of 0 is copied, whatever its columns",
    (
        f"{_KERNELS}/s8/depthwise_planes.c",
        "b.columns = f->flat ? f->pitch : ((b.count + 3) & ~3);",
        "b.columns = f->flat ? f->pitch : ((b.count + 4) & ~3);",
    ): "sums lie further apart, and fewer rows are computed at a time",
    (
        f"{_KERNELS}/s8/pool.h",
        "#define RNV_POOL_AREA_MAX 0x800000",
        "#define RNV_POOL_AREA_MAX 0x800001",
    ): "0x800001 has a prime factor that is larger than a window's side can be",
    (
        f"{_KERNELS}/s8/softmax_check.c",
        "!rnv_words_within(&p->rows, 1, 1, INT32_MAX) ||",
        "!rnv_words_within(&p->rows, 2, 1, INT32_MAX) ||",
    ): "the word after it, the depth, has its own narrower limits on the next line",
    (
        f"{_KERNELS}/s8/requant.h",
        "#define RNV_CHANNELS_MAX 0xFFFFFF",
        "#define RNV_CHANNELS_MAX 0x1000000",
    ): "only a package of 150 MB would have so many channels; sizes still fit 32 bits",
    (
        "firmware/core/src/model/rows.c",
        "low = (low < 0) ? 0 : low;",
        "low = (low < 1) ? 0 : low;",
    ): "both give 0 where it is 0 already",
    (
        f"{_KERNELS}/mve/conv_2d.c",
        "if (at->y < 0 || at->y > c->last_y || at->x < 0 || at->x > c->last_x) {",
        "if (at->y < 1 || at->y > c->last_y || at->x < 0 || at->x > c->last_x) {",
    ): _EDGE,
    (
        f"{_KERNELS}/mve/conv_2d.c",
        "if (at->y < 0 || at->y > c->last_y || at->x < 0 || at->x > c->last_x) {",
        "if (at->y < 0 || at->y >= c->last_y || at->x < 0 || at->x > c->last_x) {",
    ): _EDGE,
    (
        f"{_KERNELS}/mve/average_pool_2d.c",
        "vcmpltq_n_s32(sum, 0));",
        "vcmpltq_n_s32(sum, 1));",
    ): "the mean of a sum of 0 is 0, whose negative is 0",
    (
        f"{_COMPILER}/packed/requant.py",
        "left = steps.sound & fits & ~found.solved & (multiplier > 0) & (multiplier <= INT32_MAX)",
        "left = steps.sound & fits & ~found.solved & (multiplier > 1) & (multiplier <= INT32_MAX)",
    ): "where so small a multiplier is near there is one output, which needs none",
    (
        f"{_COMPILER}/packed/requant.py",
        "offset = min(max(offset, 0), scale - 1)",
        "offset = min(max(offset, 0), scale - 2)",
    ): _POINT,
    (
        f"{_COMPILER}/packed/requant.py",
        "low = (high if high < _INF else 0) - _OPEN_WINDOW",
        "low = (high if (not (high < _INF)) else 0) - _OPEN_WINDOW",
    ): _POINT,
    (
        f"{_COMPILER}/packed/requant.py",
        "min(high, high_below - step if high_below < _INF else _INF),",
        "min(high, high_below - step if high_below <= _INF else _INF),",
    ): _POINT,
    (
        f"{_COMPILER}/roll.py",
        "oldest = min(oldest, reach.rows(done[reader], 1).start)",
        "oldest = min(oldest, reach.rows(done[reader], 2).start)",
    ): "where rows start does not depend on how many there are",
    (
        f"{_COMPILER}/roll.py",
        "return Rolled(choice, chains, program, peak, ops[0] if ops else 0, lowering.refused)",
        "return Rolled(choice, chains, program, peak, ops[0] if ops else 1, lowering.refused)",
    ): "where a search goes on that no op of the graph has given a place",
    (
        f"{_COMPILER}/roll.py",
        "_CHUNKS = (4, 2, 1)",
        "_CHUNKS = (4, 3, 1)",
    ): "numbers of rows that a search tries; each of them is exact",
    (
        f"{_COMPILER}/roll.py",
        "_FIRST_CHUNKS = (2, 1)",
        "_FIRST_CHUNKS = (3, 1)",
    ): "where a search begins that tries other numbers of rows as well",
    (
        "firmware/core/src/model/kernels.c",
        "continue;",
        ";",
    ): "a later slice of an op is checked again, with the same result",
    (
        f"{_COMPILER}/exchange.py",
        "params=(0, 0, 0, target.elements, *box, *steps),",
        "params=(1, 0, 0, target.elements, *box, *steps),",
    ): _FILLED,
    (
        f"{_COMPILER}/exchange.py",
        "params=(0, 0, 0, target.elements, *box, *steps),",
        "params=(0, 1, 0, target.elements, *box, *steps),",
    ): _FILLED,
    (
        f"{_KERNELS}/mve/requant.inc",
        "vshl.s32	\\sum, \\sum, q2",
        "vrshl.s32	\\sum, \\sum, q2",
    ): "no shift in q2 is negative there, so nothing is rounded",
    (
        f"{_KERNELS}/mve/requant.inc",
        "vshr.s32	q3, q3, #31",
        "vshr.s32	q3, q3, #32",
    ): _SIGN,
    (f"{_KERNELS}/mve/add_row.S", "vshr.s32	q2, q0, #31", "vshr.s32	q2, q0, #32"): _SIGN,
    (f"{_KERNELS}/mve/add_row.S", "vshr.s32	q2, q2, #31", "vshr.s32	q2, q2, #32"): _SIGN,
    (
        f"{_KERNELS}/mve/tile.S",
        "leave	(4 + 48)",
        "leave	(4 + 49)",
    ): "the two low bits of the stack pointer are always 0",
    (
        f"{_COMPILER}/packed/add_tables.py",
        "if not 0 <= shift <= 30 or most * scale > INT32_MAX // 2:",
        "if not 0 <= shift <= 30 or most * scale > INT32_MAX * 2:",
    ): "saves the work only: sums beyond 32 bits are refused by `within`",
    (
        f"{_COMPILER}/packed/add_tables.py",
        "np.abs(v).max() <= INT32_MAX for v in (*scaled, scaled[0][:, None] + scaled[1], device)",
        "np.abs(v).max() <= INT32_MAX for v in (*scaled, scaled[1][:, None] + scaled[1], device)",
    ): "what is beyond was refused by the limit on `most` already; this is the proof of it",
    (
        f"{_COMPILER}/passes/drop_constant_channels.py",
        "bias = replace(bias, shape=data.shape, data=data, quant=None, index=-1)",
        "bias = replace(bias, shape=data.shape, data=data, quant=None, index=-2)",
    ): "any negative index is no tensor of the file",
    (
        f"{_COMPILER}/optimize.py",
        "_SPENT = {Goal.SPEED: None, Goal.BALANCED: 2048, Goal.MEMORY: 0}",
        "_SPENT = {Goal.SPEED: None, Goal.BALANCED: 2048, Goal.MEMORY: 1}",
    ): "sizes of arenas are multiples of 16",
    (
        f"{_COMPILER}/packed/conv_pixels.py",
        "return along.reshape(len(weights), -1)",
        "return along.reshape(len(weights), -2)",
    ): _NEGATIVE,
    (
        f"{_COMPILER}/packed/sums.py",
        "start = 0 if bias is None else data_of(bias).reshape(-1).astype(np.int64)",
        "start = 0 if bias is None else data_of(bias).reshape(-2).astype(np.int64)",
    ): _NEGATIVE,
    (
        f"{_COMPILER}/packed/winograd.py",
        "words(halves[..., 0] | (halves[..., 1] << 16)).reshape(out_c, -1),",
        "words(halves[..., 0] | (halves[..., 1] << 16)).reshape(out_c, -2),",
    ): _NEGATIVE,
    (
        f"{_COMPILER}/packed/base.py",
        "weights, bias = np.where(idle[:, None], 0, weights), np.where(idle, 0, bias)",
        "weights, bias = np.where(idle[:, None], 0, weights), np.where(idle, 1, bias)",
    ): "a channel of one output multiplies its sum by 0",
    (
        f"{_COMPILER}/planner.py",
        "while order not in seen and budget > 0:",
        "while order not in seen and budget >= 0:",
    ): "one order more than the budget says",
    (
        f"{_COMPILER}/planner.py",
        "while best.peak > problem.lower_bound and budget > 0:",
        "while best.peak > problem.lower_bound and budget > 1:",
    ): "one order less than the budget says",
    (
        f"{_COMPILER}/planner.py",
        "self._seen.add(state)",
        "pass",
    ): "what was seen is searched again, to the same end",
    (
        f"{_SCHED}/npu.c",
        "npu->ended = 1;",
        "npu->ended = 2;",
    ): _TRUTH,
    (
        f"{_SCHED}/jobs.c",
        "job->cancelled = 1;",
        "job->cancelled = 2;",
    ): _TRUTH,
    (
        f"{_PROF}/stat.c",
        "if (us < summary->min_us) {",
        "if (us <= summary->min_us) {",
    ): _EQUAL,
    (
        f"{_PROF}/trace.c",
        "own = all > lane->taken ? all - lane->taken : 0u;",
        "own = all >= lane->taken ? all - lane->taken : 0u;",
    ): _EQUAL,
    (
        f"{_SCHED}/admission.c",
        "(time_us < UINT32_MAX) ? (uint32_t)time_us : UINT32_MAX)",
        "(time_us <= UINT32_MAX) ? (uint32_t)time_us : UINT32_MAX)",
    ): _EQUAL,
    (
        f"{_SCHED}/complete.c",
        "if (arena_bytes > stats->arena_high_water) {",
        "if (arena_bytes >= stats->arena_high_water) {",
    ): _EQUAL,
    (
        f"{_SCHED}/jobs.c",
        "uint32_t serial = 0;",
        "uint32_t serial = 1;",
    ): _UNREAD,
    (
        f"{_SCHED}/jobs.c",
        "uint32_t lane = 0;",
        "uint32_t lane = 1;",
    ): _UNREAD,
    (
        f"{_SCHED}/run.c",
        "if (lane->held_bytes != 0u) {",
        "if (lane->held_bytes != 1u) {",
    ): "where nothing is held there is nothing to reclaim",
    (
        f"{_SCHED}/open.c",
        "model->handle = (handle > 0xFFFFu) ? handle : handle + 0x10000u;",
        "model->handle = (handle > 0x10000u) ? handle : handle + 0x10000u;",
    ): "slot 0 leaves one of its handles out",
    (
        f"{_SCHED}/cooperative.c",
        "uint32_t stop = (rnv_ready(sched) ^ sched->expect) & sched->stop;",
        "uint32_t stop = (rnv_ready(sched) ^ sched->expect) | sched->stop;",
    ): _SLOWER,
    (
        "firmware/core/src/dsp/portable.c",
        'static const struct rnv_dsp_caps portable = {.name = "portable", .exact = 1};',
        'static const struct rnv_dsp_caps portable = {.name = "portable", .exact = 2};',
    ): _TRUTH,
    (
        "modules/npu_sim/src/npu_sim.c",
        "sim->suspended = 1;",
        "sim->suspended = 2;",
    ): _TRUTH,
    (
        f"{_PROF}/dump.c",
        "uint8_t part[4 + LINE_PAYLOAD];",
        "uint8_t part[5 + LINE_PAYLOAD];",
    ): _LARGER,
    (
        f"{_SCHED}/accelerate.c",
        "if (lane->zombie != NULL && lane->zombie_serial == end->serial) {",
        "if (lane->zombie != NULL || lane->zombie_serial == end->serial) {",
    ): "while a lane has a zombie the accelerator ends nothing else, and serials are new",
    (
        f"{_SCHED}/accelerate.c",
        "for (; others != 0u; others &= others - 1u) {",
        "for (; others != 0u; others &= others - 2u) {",
    ): "bit 0, the most urgent lane, is never among less urgent ones",
    (
        f"{_SCHED}/cooperative.c",
        "return stop != 0u && (stop != RNV_READY_TIMER || rnv_now_us() >= sched->npu_limit_us);",
        "return stop != 0u || (stop != RNV_READY_TIMER || rnv_now_us() >= sched->npu_limit_us);",
    ): _SLOWER,
    (
        f"{_SCHED}/models.c",
        "uint8_t padded[RNV_NAME_BYTES] = {0};",
        "uint8_t padded[RNV_NAME_BYTES] = {1};",
    ): "the first byte of every name but the empty one, which no package has, is written",
}
