# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier ota``: models of a device, and their updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ranvier.cli.device import Target, connected, device_options, one_model
from ranvier.cli.models import require_package
from ranvier.cli.ota_device import lanes, reset, revoke, selftest
from ranvier.cli.ota_list import (
    model_value,
    print_info,
    print_models,
    print_update,
    print_wear,
    update_value,
)
from ranvier.cli.ota_progress import Display, rate, seconds
from ranvier.cli.output import Output, common_options, size
from ranvier.files import read_bytes

if TYPE_CHECKING:
    from ranvier.device.offer import Offer
    from ranvier.device.update import Outcome, Updater
    from ranvier.device.wire import ModelState

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = click.Path(dir_okay=False)


@click.group("ota")
def ota() -> None:
    """Models on a device: what there is, updates, trials and the way back.

    A device has places for models, each with two slots. An update fills the slot that is not in
    use; then the new version is on trial: `confirm` keeps it, `rollback`, or some restarts without
    `confirm`, bring the old one back.
    """


def _activation(function: F) -> F:
    trial = click.option(
        "--trial", "how", flag_value="trial", default="trial", help="Activate on trial.  [default]"
    )
    permanent = click.option(
        "--permanent", "how", flag_value="permanent", help="Activate for good."
    )
    return trial(permanent(function))


def _push_options(function: F) -> F:
    stored = click.option(
        "--no-activate", "how", flag_value="none", help="Only bring it into the slot."
    )
    slow = click.option(
        "--allow-slow",
        is_flag=True,
        help="Also where the device lacks the instruction set that the package is packed for.",
    )
    package = click.argument("package", type=_PACKAGE)
    return package(_activation(stored(slow(_encodings(function)))))


def _encodings(function: F) -> F:
    ways = {
        "plain": "Send the package as it is.",
        "compressed": "Send it compressed.  [default: what is smallest]",
        "delta": "Send its difference to the version that the device runs; needs --base.",
    }
    names = {"compressed": "--compress"}
    for way, text in ways.items():
        option = names.get(way, f"--{way}")
        function = click.option(option, "encoding", flag_value=way, help=text)(function)
    base = click.option(
        "--base", type=_PACKAGE, help="The package (.rnv) that the device runs, for a delta."
    )
    return base(function)


@ota.command()
@_push_options
@device_options
@common_options("ota-push")
def push(output: Output, package: str, target: Target, **options: Any) -> None:
    """Bring PACKAGE (.rnv) to the device and activate it, on trial unless told otherwise.

    The package's name says which place of the device it is for. What was sent before an
    interruption is not sent again.
    """
    _push(output, package, target, resume=False, **options)


@ota.command()
@_push_options
@device_options
@common_options("ota-resume")
def resume(output: Output, package: str, target: Target, **options: Any) -> None:
    """Go on with an upload of PACKAGE that was interrupted; as push, but begins none."""
    _push(output, package, target, resume=True, **options)


def _read(package: str) -> Offer:
    from ranvier.device.offer import read_offer

    data = read_bytes(package)
    require_package(data, package)
    return read_offer(data, package)


def _push(
    output: Output,
    package: str,
    target: Target,
    *,
    resume: bool,
    how: str,
    allow_slow: bool,
    encoding: str | None,
    base: str | None,
) -> None:
    from ranvier.device.parcel import Encoding
    from ranvier.device.update import Updater

    offer = _read(package)
    old = None if base is None else _read(base)
    display = Display(output)
    permanent = {"trial": False, "permanent": True, "none": None}[how]
    with connected(output, target, display.say) as client:
        updater = Updater(client, display.progress)
        try:
            outcome = updater.push(
                offer,
                permanent=permanent,
                slow=allow_slow,
                resume=resume,
                encoding=Encoding(encoding or "auto"),
                base=old,
            )
        except KeyboardInterrupt:
            display.say(f"stopped; ranvier ota resume {package} goes on with it")
            raise
        finally:
            display.finish()
        _tell(output, outcome)
        output.json({"package": package, **asdict(outcome), "link": asdict(client.counts)})


def _tell(output: Output, outcome: Outcome) -> None:
    where = f"{outcome.model} in slot {outcome.slot}"
    if outcome.present:
        output.text(f"{where}: the device has this package already")
    else:
        begun = f", from byte {size(outcome.begun_at)} on" if outcome.begun_at else ""
        speed = outcome.sent / outcome.seconds if outcome.seconds else 0.0
        took = f"{size(outcome.sent)} bytes in {seconds(outcome.seconds)}{begun}"
        how = "" if outcome.encoding == "plain" else f" ({outcome.encoding})"
        output.text(f"{where}: {took}{how}, {rate(speed)}")
        if how and outcome.seconds:
            whole = rate(outcome.length / outcome.seconds)
            output.text(f"  that is {size(outcome.length)} bytes of package, {whole}")
    output.text(f"{where} is {outcome.what}")
    if outcome.what == "on trial":
        output.text(f"  keep it: ranvier ota confirm {outcome.model}")
        output.text(f"  go back: ranvier ota rollback {outcome.model}")


@ota.command("list")
@click.option(
    "--wear",
    "updates_a_day",
    metavar="RATE",
    is_flag=False,
    flag_value=1.0,
    type=click.FloatRange(1e-6, 1e6),
    help="Also how often sectors were erased, and how long they last at RATE updates a day.  "
    "[alone: 1]",
)
@device_options
@common_options("ota-list")
def list_command(output: Output, target: Target, updates_a_day: float | None) -> None:
    """Show the device's models and their slots."""
    from ranvier.device.wear import ENDURANCE, wear

    with connected(output, target) as client:
        info = client.info()
        models = client.models(info)
    print_info(output, info)
    print_models(output, models)
    value: dict[str, Any] = {"device": {**asdict(info), "ops": info.ops.hex()}}
    value["models"] = [model_value(model) for model in models]
    if updates_a_day is not None:
        parts = wear(info, models, updates_a_day)
        print_wear(output, parts, updates_a_day)
        if not info.erases:
            output.text("the device does not tell how often its registry was erased")
        value["wear"] = [asdict(part) for part in parts]
        value |= {"endurance": ENDURANCE, "updates_a_day": updates_a_day}
    output.json(value)


@ota.command()
@device_options
@common_options("ota-status")
def status(output: Output, target: Target) -> None:
    """Show where the device's update is."""
    with connected(output, target) as client:
        update = client.update()
    print_update(output, update)
    output.json(update_value(update))


@ota.command()
@click.argument("model", required=False)
@_activation
@device_options
@common_options("ota-activate")
def activate(output: Output, model: str | None, how: str, target: Target) -> None:
    """Activate the good slot of MODEL that is not in use.

    MODEL may be left out where the device has one.
    """
    permanent = how == "permanent"
    what = "is confirmed" if permanent else "is on trial"
    _decide(output, target, model, what, lambda u, m: u.activate(m, permanent))


@ota.command()
@click.argument("model", required=False)
@device_options
@common_options("ota-confirm")
def confirm(output: Output, model: str | None, target: Target) -> None:
    """Keep the version of MODEL that is on trial.

    MODEL may be left out where the device has one.
    """
    _decide(output, target, model, "is confirmed", lambda u, m: u.confirm(m))


@ota.command()
@click.argument("model", required=False)
@device_options
@common_options("ota-rollback")
def rollback(output: Output, model: str | None, target: Target) -> None:
    """End the trial of MODEL, or go back to the version before the confirmed one.

    MODEL may be left out where the device has one.
    """
    _decide(output, target, model, "is back", lambda u, m: u.rollback(m), "no version of it runs")


@ota.command()
@click.argument("model")
@click.argument("slot", type=click.IntRange(0, 1))
@device_options
@common_options("ota-erase")
def erase(output: Output, model: str, slot: int, target: Target) -> None:
    """Erase SLOT (0 or 1) of MODEL; one that is confirmed or on trial is refused."""
    _decide(output, target, model, f"slot {slot} is erased", lambda u, m: u.erase(m, slot))


@ota.command()
@device_options
@common_options("ota-abort")
def abort(output: Output, target: Target) -> None:
    """Drop the upload under way; what the device received of it is forgotten."""
    from ranvier.device.update import Updater
    from ranvier.device.wire import Phase

    uploads = (Phase.RECEIVING, Phase.VERIFYING, Phase.TESTING, Phase.READY)
    with connected(output, target) as client:
        before = Updater(client).abort()
    dropped = any(before.sha) and before.phase in uploads
    if dropped:
        output.text(f"the upload of {before.model} is dropped: slot {before.slot} is empty")
    else:
        output.text("no upload was under way")
    output.json({"model": before.model if dropped else None, "dropped": dropped})


def _decide(
    output: Output,
    target: Target,
    name: str | None,
    what: str,
    action: Callable[[Updater, ModelState], None],
    what_if_none: str | None = None,
) -> None:
    """Do something with one model, then show it; ``what_if_none`` is for one that runs nowhere."""
    from ranvier.device.update import Updater
    from ranvier.device.wire import NO_SLOT

    display = Display(output)
    with connected(output, target, display.say) as client:
        model = one_model(client, name)
        try:
            action(Updater(client, display.progress), model)
        finally:
            display.finish()
        after = client.model(model.place)
    none = what_if_none is not None and after.running == NO_SLOT
    output.text(f"{model.name}: {what_if_none if none else what}")
    print_models(output, [after])
    output.json({"model": model_value(after)})


for _command in (lanes, selftest, revoke, reset):
    ota.add_command(_command)
