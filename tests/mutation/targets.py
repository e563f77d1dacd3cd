# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which files are mutated, and what is run to find their mutants: the quickest first."""

from __future__ import annotations

from pathlib import Path

from checks import Check, Program, Pytest, Sweep, Unit

KERNELS = "firmware/core/src/kernels"
MODEL = "firmware/core/src/model"
COMPILER = "host/src/ranvier/compiler"
SCHED = "firmware/core/src/sched"
PROF = "firmware/core/src/prof"
DSP = "firmware/core/src/dsp"
NPU_SIM = "modules/npu_sim"

GEMM = Program("kernels", "", ("gemm_test 1 600", "pointwise_test 1 600"))
GEMM_M33 = Program("kernels", "m33", ("gemm_test 1 800", "pointwise_test 1 300"))
BASE = Program("kernels_base", "", ("gemm_test 1 600", "ops_test 1 600"))
BASE_M33 = Program("kernels_base", "m33-nodsp", ("gemm_test 1 800", "ops_test 1 300"))
CONV = Program("kernels_conv", "", ("conv_test 1 600",))
CONV_M33 = Program("kernels_conv", "m33", ("conv_test 1 200",))
DEPTHWISE = Program("kernels_depthwise", "", ("depthwise_test 1 400",))
DEPTHWISE_M33 = Program("kernels_depthwise", "m33", ("depthwise_test 1 200",))
FC = Program("kernels_fc", "", ("kernels_fc",))
FC_M33 = Program("kernels_fc", "m33", ("kernels_fc",))
MVE = Program("kernels_mve", "m55", ("mve_test",))
MVE_TEST = "cortexm_kernels/test_mve.py"
MVE_OPS = Pytest((MVE_TEST, "-k", "not assembly"))
MVE_CONV = Pytest((MVE_TEST, "-k", "CONV_2D"))
UNIT_KERNELS = Unit(
    "kernels_test_convolution kernels_test_fixed_point kernels_test_pool kernels_test_softmax"
)
PORTABLE = {
    op: Sweep(op, 60, ("--isa", "generic"), "s8")
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
}
VIEWS = Unit("kernels_test_views kernels_test_conv_windows")
PACKAGES = Unit("model_test_package")
ROWS = Pytest(("test_package_rows.py",))
VERIFIER = Pytest(("test_package_verifier.py", "test_package_memory.py", "test_package_kinds.py"))
PROOFS = Pytest(("test_check_proofs.py",))
REACH = Pytest(("test_reach.py",))
LAYOUTS = Pytest(("test_layouts.py",))
GOALS = Pytest(("test_goals.py",))
IMAGES = Sweep("IMAGE_CHAIN", 15)
IMAGES_BASE = Sweep("IMAGE_CHAIN", 15, ("--isa", "base", "--optimize", "all"))
CHAINS = Pytest(("test_base_models.py",))
STREAMS = Pytest(("test_packed_streams.py",))
SOLVER = Pytest(("test_requant_solver.py",))
ADD = Pytest(("test_packed_add.py",))
INPLACE = Pytest(("test_inplace.py",))
ROLL = Pytest(("test_roll.py",))
MEMORY = Pytest(("test_memory.py", "test_planner.py"))
PASSES = Pytest(("test_passes.py",))
CONSTANT = Pytest(("test_constant_channels.py",))
F32 = Unit("kernels_test_f32 kernels_test_f32_values")
F32_NETWORKS = Pytest(("test_f32.py", "test_sweep.py", "-k", "F32 or f32"))
VISION = Unit("kernels_test_vision_images kernels_test_vision_lists")
PICTURES = Pytest(("test_image_ops.py", "test_image_stages.py"))
RESULTS = Pytest(("test_post_ops.py", "test_post_detect.py", "test_post_stages.py"))
BILINEAR = Sweep("RESIZE_BILINEAR", 40, ("--isa", "generic"), "s8")
SIGNAL = Unit("kernels_test_signal")
SIGNAL_OPS = Pytest(("test_signal_ops.py",))
SIGNAL_PASSES = Pytest(("test_signal_passes.py",))
AUDIO = Pytest(("test_audio_front_end.py",))
JOBS = Unit("sched_test_jobs sched_test_models sched_test_preempt sched_test_threads")
ADMISSION = Unit("sched_test_admission")
ACCELERATOR = Unit(
    "sched_test_accelerate sched_test_accelerate_threads sched_test_npu sched_test_npu_limits"
)
SOAK = Unit("sched_test_soak")
POLICY = Pytest(("test_sched_policy.py",))
HOST_JOBS = Pytest(("test_jobs.py",))
PORT = Unit("posix_test_driver posix_test_stress")
NPU = Unit("contract_npu_test_sim contract_npu_test_threads contract_npu_test_virtual")
PROFILER = Unit("prof_test_prof_dump prof_test_prof_jobs prof_test_prof_steps")
TRACES = Pytest(("test_profile_device.py", "test_profile_trace.py"))
FOURIER = Unit("dsp_test_sine contract_dsp_test_portable")
FOURIER_REFERENCE = Pytest(("test_dsp.py",))

#: Files of a folder by the beginning of the path (the longest that fits), and their checks.
CHECKS: dict[str, tuple[Check, ...]] = {
    f"{KERNELS}/f32/": (F32, F32_NETWORKS),
    f"{KERNELS}/planes/conv": (CONV, VIEWS),
    f"{KERNELS}/planes/depthwise": (DEPTHWISE, VIEWS),
    f"{KERNELS}/planes/interleave": (CONV,),
    f"{KERNELS}/planes/pieces": (GEMM, CONV, DEPTHWISE),
    f"{KERNELS}/planes/pointwise": (GEMM, BASE),
    f"{KERNELS}/planes/tile": (GEMM, CONV),
    f"{KERNELS}/planes/view": (GEMM, VIEWS, ROWS, CONV, DEPTHWISE),
    f"{KERNELS}/dsp/add_linear": (FC, FC_M33),
    f"{KERNELS}/dsp/conv": (CONV,),
    f"{KERNELS}/dsp/depthwise": (DEPTHWISE, DEPTHWISE_M33, VIEWS),
    f"{KERNELS}/dsp/fully_connected": (FC, FC_M33),
    f"{KERNELS}/dsp/gemm": (GEMM, GEMM_M33),
    f"{KERNELS}/dsp/interleave": (CONV, CONV_M33),
    f"{KERNELS}/dsp/pointwise": (GEMM,),
    f"{KERNELS}/dsp/prepare": (GEMM, GEMM_M33),
    f"{KERNELS}/dsp/sum": (FC, FC_M33),
    f"{KERNELS}/dsp/tile": (GEMM,),
    f"{KERNELS}/dsp/winograd": (FC, FC_M33, VIEWS),
    f"{KERNELS}/base/": (BASE, BASE_M33),
    f"{KERNELS}/base/conv": (IMAGES_BASE, CHAINS),
    f"{KERNELS}/mve/": (MVE_OPS,),
    f"{KERNELS}/mve/add.": (Pytest((MVE_TEST, "-k", "ADD")),),
    f"{KERNELS}/mve/average": (Pytest((MVE_TEST, "-k", "POOL")),),
    f"{KERNELS}/mve/conv": (MVE_CONV,),
    f"{KERNELS}/mve/depthwise": (Pytest((MVE_TEST, "-k", "DEPTHWISE")),),
    f"{KERNELS}/mve/fully": (Pytest((MVE_TEST, "-k", "FULLY")),),
    f"{KERNELS}/mve/max": (Pytest((MVE_TEST, "-k", "POOL")),),
    f"{KERNELS}/mve/mean": (Pytest((MVE_TEST, "-k", "MEAN or mean")),),
    f"{KERNELS}/mve/mul": (Pytest((MVE_TEST, "-k", "MUL")),),
    f"{KERNELS}/mve/outputs": (MVE_CONV, MVE_OPS),
    f"{KERNELS}/mve/pool": (Pytest((MVE_TEST, "-k", "POOL")),),
    f"{KERNELS}/mve/softmax": (Pytest((MVE_TEST, "-k", "SOFTMAX")),),
    f"{KERNELS}/s8/add_tables": (FC, VIEWS),
    f"{KERNELS}/s8/depthwise_planes": (DEPTHWISE, VIEWS),
    f"{KERNELS}/s8/average_pool_2d": (FC, UNIT_KERNELS),
    f"{KERNELS}/s8/pool.": (FC, UNIT_KERNELS),
    f"{KERNELS}/s8/softmax": (FC, UNIT_KERNELS),
    f"{KERNELS}/s8/requant": (UNIT_KERNELS, PORTABLE["CONV_2D"]),
    f"{KERNELS}/s8/conv_2d": (UNIT_KERNELS, PORTABLE["CONV_2D"]),
    f"{KERNELS}/s8/depthwise_conv_2d": (UNIT_KERNELS, PORTABLE["DEPTHWISE_CONV_2D"]),
    f"{KERNELS}/s8/fully_connected": (UNIT_KERNELS, PORTABLE["FULLY_CONNECTED"]),
    f"{KERNELS}/signal/": (SIGNAL, SIGNAL_OPS, AUDIO),
    f"{MODEL}/rows": (PACKAGES, ROWS, VERIFIER),
    f"{MODEL}/kernels": (PACKAGES, ROWS, VERIFIER),
    f"{MODEL}/liveness": (PACKAGES, ROWS, VERIFIER),
    f"{MODEL}/tensors": (PACKAGES, ROWS, VERIFIER),
    f"{COMPILER}/layouts": (LAYOUTS, GOALS, IMAGES),
    f"{COMPILER}/roll": (ROLL, GOALS, IMAGES),
    f"{COMPILER}/optimize": (GOALS, IMAGES),
    f"{COMPILER}/lower.": (GOALS, IMAGES),
    f"{COMPILER}/exchange": (GOALS, IMAGES),
    f"{COMPILER}/reach": (REACH, GOALS, IMAGES),
    f"{COMPILER}/memory": (MEMORY, GOALS, IMAGES),
    f"{COMPILER}/planner": (MEMORY, GOALS, IMAGES),
    f"{COMPILER}/packed/": (STREAMS, INPLACE, GOALS, IMAGES, CHAINS),
    f"{COMPILER}/packed/epilogue": (STREAMS, SOLVER, PROOFS, GOALS, IMAGES),
    f"{COMPILER}/packed/inplace": (INPLACE, STREAMS, GOALS, IMAGES),
    f"{COMPILER}/packed/pool_planes": (ADD, STREAMS, GOALS, IMAGES),
    f"{COMPILER}/packed/proof": (STREAMS, PROOFS, GOALS, IMAGES),
    f"{COMPILER}/packed/requant": (SOLVER,),
    f"{COMPILER}/packed/sums": (SOLVER, STREAMS, GOALS, IMAGES),
    f"{COMPILER}/packed/add_tables": (ADD,),
    f"{COMPILER}/packed/factors": (ADD,),
    f"{COMPILER}/passes/": (PASSES, CONSTANT, GOALS, IMAGES),
    f"{COMPILER}/passes/drop_constant": (CONSTANT,),
    f"{COMPILER}/passes/fuse_energy": (SIGNAL_PASSES,),
    f"{COMPILER}/passes/fuse_steps": (SIGNAL_PASSES,),
    f"{COMPILER}/passes/signal_state": (SIGNAL_PASSES, SIGNAL_OPS),
    f"{COMPILER}/flexbuffer": (SIGNAL_PASSES,),
    f"{COMPILER}/pipeline/audio": (AUDIO,),
    f"{KERNELS}/vision/": (VISION, RESULTS),
    f"{KERNELS}/vision/image": (VISION, PICTURES),
    f"{KERNELS}/vision/channel": (VISION, PICTURES),
    f"{KERNELS}/vision/position": (VISION, BILINEAR, PICTURES),
    f"{KERNELS}/vision/resize": (VISION, BILINEAR),
    f"{COMPILER}/pipeline/image": (PICTURES,),
    f"{COMPILER}/pipeline/post": (RESULTS,),
    f"{COMPILER}/pipeline/detect": (RESULTS,),
    f"{SCHED}/": (JOBS, ADMISSION, ACCELERATOR, SOAK, PORT, POLICY),
    f"{SCHED}/accelerate": (ACCELERATOR, NPU, JOBS, SOAK, PORT),
    f"{SCHED}/npu": (ACCELERATOR, NPU, SOAK, PORT),
    f"{SCHED}/admission": (ADMISSION,),
    f"{SCHED}/open": (JOBS, ADMISSION, ACCELERATOR, HOST_JOBS),
    f"{PROF}/": (PROFILER, TRACES),
    f"{DSP}/": (FOURIER, FOURIER_REFERENCE),
    f"{NPU_SIM}/src/": (NPU,),
}
#: Predicted counts are compared coarsely, with what is counted, so small errors in them pass.
EXCLUDED = ("/predict", "__init__")
#: On this computer assembly is compiled empty: only the programs under QEMU can find its mutants.
ASSEMBLY = {
    f"{KERNELS}/dsp/depthwise": (DEPTHWISE_M33,),
    f"{KERNELS}/dsp/": (FC_M33,),
    f"{KERNELS}/dsp/interleave": (CONV_M33,),
    f"{KERNELS}/dsp/gemm": (GEMM_M33,),
    f"{KERNELS}/dsp/prepare": (GEMM_M33,),
    f"{KERNELS}/base/": (BASE_M33,),
    f"{KERNELS}/mve/": (MVE,),
}
SUFFIXES = {".c", ".h", ".py"}


def checks_of(path: str) -> tuple[Check, ...]:
    """The checks of a file; none where it is no target."""
    suffix = Path(path).suffix
    if any(part in path for part in EXCLUDED):
        return ()
    if suffix in (".S", ".inc"):
        table: dict[str, tuple[Check, ...]] = dict(ASSEMBLY)
    elif suffix in SUFFIXES:
        table = CHECKS
    else:
        return ()
    fits = [begin for begin in table if path.startswith(begin)]
    return table[max(fits, key=len)] if fits else ()


def targets(root: Path) -> dict[str, tuple[Check, ...]]:
    """Every file that is mutated, those with the same checks together."""
    folders = (
        f"{KERNELS}/{name}" for name in ("planes", "dsp", "base", "mve", "s8", "signal", "vision")
    )
    found: dict[str, tuple[Check, ...]] = {}
    for folder in (*folders, MODEL, COMPILER, SCHED, PROF, DSP, NPU_SIM):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.is_file() and checks_of(path):
                found[path] = checks_of(path)
    return dict(sorted(found.items(), key=lambda item: str(item[1])))
