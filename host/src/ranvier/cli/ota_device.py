# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier ota lanes``, ``selftest``, ``revoke``, ``reset``: the device behind the models."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ranvier.cli.device import Target, connected, device_options, one_model
from ranvier.cli.ota_list import model_value, print_info, print_models
from ranvier.cli.output import Exit, Output, common_options, size

if TYPE_CHECKING:
    from ranvier.device.wire import Lane, ModelState

_COUNTERS = (
    *("submitted", "completed", "missed", "failed", "cancelled", "dropped", "refused"),
    *("preempted", "queued", "most_queued"),
)
_BYTES = ("arena_high_water", "arena_bytes")
_TIMES = (
    *("longest_queued_us", "longest_step_blocked_us"),
    *("longest_npu_blocked_us", "longest_atomic_blocked_us"),
)
_NO_TEST = {
    "EBADMSG": "its outputs are not those that it must have",
    "EINVAL": "the package has none",
    "ECANCELED": "another version was loaded meanwhile",
}


def _key_id(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """A key's id, as ``ranvier keys public`` prints it."""
    try:
        number = int(value, 16)
    except ValueError:
        number = 0
    if not 0 < number <= 0xFFFFFFFF:
        raise click.BadParameter(f"{value!r} is not the id of a key, such as 1f00ba42")
    return number


@click.command()
@device_options
@common_options("ota-lanes")
def lanes(output: Output, target: Target) -> None:
    """Show the counters of the device's lanes and models, since it was started.

    Times are in microseconds.
    """
    from ranvier.device import jobs

    with connected(output, target) as client:
        found = jobs.lanes(client)
        models = client.models()
    _print_lanes(output, found)
    _print_jobs(output, found, models)
    output.json(
        {
            "lanes": [{"name": lane.name, **lane.counters} for lane in found],
            "models": [
                {"name": m.name, "lanes": _lanes_of(m, found), "jobs": m.jobs}
                | {"completed": m.completed, "failed": m.failed}
                for m in models
            ],
        }
    )


def _print_lanes(output: Output, found: Sequence[Lane]) -> None:
    """Two tables: what was counted, and the longest times. Counters that it lacks are "-"."""
    for columns in ((*_COUNTERS, *_BYTES), _TIMES):
        rows = [
            [lane.name, *(size(lane.counters[c]) if c in lane.counters else "-" for c in columns)]
            for lane in found
        ]
        output.table(["lane", *(c.replace("_", " ").removesuffix(" us") for c in columns)], rows)
        output.text()


def _print_jobs(output: Output, found: Sequence[Lane], models: Sequence[ModelState]) -> None:
    rows = []
    for model in models:
        counts = [size(model.jobs), size(model.completed), size(model.failed)]
        rows.append([model.name, *counts, ", ".join(_lanes_of(model, found))])
    output.table(["model", "jobs now", "completed", "failed", "lanes"], rows)


def _lanes_of(model: ModelState, found: Sequence[Lane]) -> list[str]:
    return [lane.name for number, lane in enumerate(found) if model.lanes >> number & 1]


@click.command()
@click.argument("model", required=False)
@device_options
@common_options("ota-selftest")
def selftest(output: Output, model: str | None, target: Target) -> None:
    """Run the self-test of MODEL on the device: its own inputs, and the outputs they must have.

    MODEL may be left out where the device has one. The exit code is 1 where the test fails.
    """
    from ranvier.device import jobs
    from ranvier.device.errors import code_name

    with connected(output, target) as client:
        name = one_model(client, model).name
        status = jobs.selftest(client, name)
    code = code_name(status) if status else None
    why = f"{_NO_TEST[code]} ({code})" if code in _NO_TEST else code
    output.text(f"{name}: self-test {f'FAILED: {why}' if code else 'passed'}")
    output.json({"model": name, "passed": not status, "code": code})
    if status:
        sys.exit(Exit.NO)


@click.command()
@click.argument("key", metavar="KEYID", callback=_key_id)
@device_options
@common_options("ota-revoke")
def revoke(output: Output, key: int, target: Target) -> None:
    """Have the device refuse packages that are signed with the key KEYID, for ever.

    The last key of a device cannot be revoked. A version that is signed with the key goes on until
    the device is started again.
    """
    from ranvier.device.update import Updater

    with connected(output, target) as client:
        info = Updater(client).revoke(key)
        models = client.models(info)
    lost = [
        (model.name, number)
        for model in models
        for number, slot in enumerate(model.slots)
        if slot.key == key
    ]
    output.text(f"key {key:08x} is revoked")
    for name, number in lost:
        output.text(f"  slot {number} of {name} is signed with it: refused from the next start on")
    output.json(
        {
            "key_id": f"{key:08x}",
            "revoked": [f"{one:08x}" for one in info.revoked],
            "slots": [{"model": name, "slot": number} for name, number in lost],
        }
    )


@click.command()
@device_options
@common_options("ota-reset")
def reset(output: Output, target: Target) -> None:
    """Restart the device, and wait until it is back.

    It counts as a start for versions that are on trial.
    """
    with connected(output, target) as client:
        info = client.restart()
        models = client.models(info)
    output.text("the device is back")
    print_info(output, info)
    print_models(output, models)
    output.json({"models": [model_value(model) for model in models]})
