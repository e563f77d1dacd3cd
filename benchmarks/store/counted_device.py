# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A device whose store and update engine are the core's, in this process, on a counted flash.

It takes unsigned packages and tests nothing: neither writes to the flash.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from counted_flash import CountedFlash, Geometry

from ranvier.errors import ToolError
from ranvier.native.binding import ffi, library

TRIAL_BOOTS = 3
_CHUNK = 4056
_AGAIN = -11
_READY, _DONE = 4, 6


@dataclass(frozen=True)
class Upload:
    """What is sent: the package, or a patch that stands for it; ``base`` is a base's CRC-32."""

    package: bytes
    sent: bytes
    base: int = 0

    @property
    def is_patch(self) -> bool:
        """Whether it is not the package itself."""
        return self.sent != self.package


class CountedDevice:
    """The device; its model is number 0 of ``models``, the others' slots have one sector each."""

    def __init__(self, geometry: Geometry, name: str, slot_bytes: int, models: int = 1) -> None:
        slot_sectors = -(-slot_bytes // geometry.sector_bytes)
        self.flash = CountedFlash(geometry, 2 + 2 * (slot_sectors + models - 1))
        self._lib = library()
        self._hash = hashlib.sha256()
        self._store = ffi.new("struct rnv_store *")
        self._ota = ffi.new("struct rnv_ota *")
        self._patch = ffi.new("struct rnv_ota_patch *")
        self._view: Any = None
        self._alive: list[Any] = []
        names = [name, *(f"other{i}" for i in range(1, models))]
        sizes = [slot_sectors, *(1 for _ in names[1:])]
        rows = [
            {
                "name": self._new("char[]", text.encode()),
                "slot_bytes": size * geometry.sector_bytes,
            }
            for text, size in zip(names, sizes, strict=True)
        ]
        config = {
            "flash": self.flash.seam,
            "crypto": self._crypto(),
            "layout": self._new("struct rnv_store_layout[]", rows),
            "models": self._new("struct rnv_store_model[]", models),
            "model_count": models,
            "trial_boots": TRIAL_BOOTS,
            "flags": self._lib.RNV_STORE_ALLOW_UNSIGNED,
        }
        self._config = self._new("struct rnv_store_config *", config)
        hooks = {
            "admit": self._call(
                "int(void *, uint32_t, const struct rnv_header *, uint32_t)", lambda *_: 0
            ),
            "test": self._call("int(void *, uint32_t, const void *, uint32_t)", lambda *_: 0),
            "changed": self._call("void(void *, uint32_t)", lambda *_: None),
        }
        self._hooks = self._new("struct rnv_ota_hooks *", hooks)

    def mount(self) -> None:
        """As after a reset: what was in RAM is gone."""
        self._view = ffi.new("struct rnv_store_view *")
        self._check(self._lib.rnv_store_mount(self._store, self._config))
        self._check(self._lib.rnv_ota_init(self._ota, self._store, self._hooks, 1))
        self._check(self._lib.rnv_ota_accept_patches(self._ota, self._patch))

    def boot(self) -> None:
        """Choose a slot, verify it, hold it."""
        self._lib.rnv_store_view_close(self._store, self._view)
        slot = self._check(self._lib.rnv_store_boot(self._store, 0))
        verify = ffi.new("struct rnv_store_verify *")
        self._check(self._lib.rnv_store_verify_start(self._store, 0, slot, verify))
        while (status := self._lib.rnv_store_verify_step(self._store, verify, 65536)) == _AGAIN:
            pass
        self._check(status)
        self._check(self._lib.rnv_store_view_open(self._store, verify, self._view))

    def begin(self, upload: Upload) -> int:
        """Announce it; the byte to go on with."""
        offset = ffi.new("uint32_t *")
        header = ffi.from_buffer(upload.package[:128])
        request = {
            "bytes": len(upload.sent),
            "encoding": int(upload.is_patch),
            "base_crc32": upload.base,
            "sha256": list(hashlib.sha256(upload.sent).digest()),
            "header": header,
        }
        given = ffi.new("struct rnv_ota_request *", request)
        self._check(self._lib.rnv_ota_begin(self._ota, given, 0, offset))
        return int(offset[0])

    def send(self, upload: Upload, at: int, end: int) -> None:
        """Send its bytes from ``at`` to ``end``."""
        offset = ffi.new("uint32_t *")
        while at < end:
            data = upload.sent[at : min(at + _CHUNK, end)]
            crc = self._lib.rnv_crc32(0, data, len(data))
            status = self._lib.rnv_ota_chunk(self._ota, at, data, len(data), crc, 0, offset)
            self._check(0 if status == _AGAIN else status)
            at = int(offset[0])
            while self._lib.rnv_ota_poll(self._ota, 0) == 1 and at < end:
                pass

    def receive(self, upload: Upload) -> None:
        """All of it, until its slot is good."""
        self.send(upload, self.begin(upload), len(upload.sent))
        self._work(_READY)

    def activate(self, permanent: bool = False) -> None:
        """What was received: on trial, or for good."""
        status = self._lib.rnv_ota_activate(self._ota, 0, int(permanent))
        self._check(0 if status == _AGAIN else status)
        self._work(_DONE)

    def confirm(self) -> None:
        """The trial."""
        self._check(self._lib.rnv_ota_confirm(self._ota, 0, 0))

    def rollback(self) -> None:
        """Go back."""
        self._lib.rnv_store_view_close(self._store, self._view)
        status = self._lib.rnv_ota_rollback(self._ota, 0)
        self._check(0 if status == _AGAIN else status)
        self._work(_DONE)

    def abort(self) -> None:
        """Drop the session."""
        self._check(self._lib.rnv_ota_abort(self._ota))

    def log_is_full(self) -> bool:
        """Whether an upload and its end have no room in the registry's sector in use."""
        stats: Any = ffi.new("struct rnv_store_stats *")
        self._lib.rnv_store_stats_get(self._store, stats)
        return bool(stats.entries + 3 > stats.room)

    def _work(self, phase: int) -> None:
        while self._lib.rnv_ota_poll(self._ota, 0) == 1:
            pass
        status: Any = ffi.new("struct rnv_ota_status *")
        self._lib.rnv_ota_status_get(self._ota, status)
        if status.phase != phase:
            raise ToolError(f"the update engine stops in phase {status.phase}: {status.error}")

    def _check(self, status: int) -> int:
        if status < 0:
            raise ToolError(f"the store or the update engine answers {status}")
        return status

    def _new(self, kind: str, value: Any) -> Any:
        self._alive.append(ffi.new(kind, value))
        return self._alive[-1]

    def _call(self, kind: str, function: Any) -> Any:
        self._alive.append(ffi.callback(kind, function))
        return self._alive[-1]

    def _crypto(self) -> Any:
        calls = {
            "hash_start": self._call("int(void *)", self._start),
            "hash_update": self._call("int(void *, const void *, uint32_t)", self._update),
            "hash_finish": self._call("int(void *, uint8_t *)", self._finish),
            "verify": self._call(
                "int(void *, const uint8_t *, const uint8_t *, const uint8_t *)", lambda *_: _AGAIN
            ),
        }
        return self._new("struct rnv_crypto *", calls)

    def _start(self, _: Any) -> int:
        self._hash = hashlib.sha256()
        return 0

    def _update(self, _: Any, data: Any, count: int) -> int:
        self._hash.update(bytes(ffi.buffer(data, count)))
        return 0

    def _finish(self, _: Any, to: Any) -> int:
        ffi.memmove(to, self._hash.digest(), 32)
        return 0
