# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""With CONFIG_RANVIER_MGMT_READ_ONLY the device tells, and changes nothing; run by twister."""

from test_store import PATIENCE_S, Bench, bench

__all__ = ["bench"]


def refused(bench: Bench, *command: str) -> str:
    """What is said of a command that the device does not take."""
    process = bench.start(*command, "--port", bench.port)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0, command
    return err


def test_read_only(bench: Bench) -> None:
    assert "read-only" in bench.ota("list")
    assert "read-only" in refused(bench, "ota", "push", bench.package(1))
    # The device itself refuses, where the host has not asked before.
    for command in (("erase", "digits", "0"), ("activate", "digits"), ("abort",)):
        assert "ENOTSUP" in refused(bench, "ota", *command), command
    model = bench.digits()
    assert model["running"] is None
    assert [slot["fills"] for slot in model["slots"]] == [0, 0]
