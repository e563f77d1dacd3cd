# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Write example frames (PNG) and what is in them (JSON)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from PIL import Image
from scenes import CAMERA, CLASSES, SIDE, Scene, draw_scene

EXAMPLE_SEED = 2000

EXAMPLES = (
    ("scene0", 0, (SIDE, SIDE), True),
    ("scene1", 1, (SIDE, SIDE), True),
    ("scene2", 2, (SIDE, SIDE), False),
    ("scene3", 3, (SIDE, SIDE), False),
    ("camera0", 4, CAMERA, True),
    ("camera1", 5, CAMERA, False),
)
"""Name, index of the scene, its height and width, whether its textures are familiar."""


def ground_truth(scene: Scene) -> dict[str, object]:
    """Return the objects of ``scene``, boxes in pixels of its picture."""
    objects = [
        {"class": CLASSES[kind], "box": [round(float(edge), 1) for edge in box]}
        for kind, box in zip(scene.classes, scene.boxes, strict=True)
    ]
    height, width = scene.pixels.shape[:2]
    return {"height": height, "width": width, "objects": objects}


def write_examples(folder: Path) -> None:
    """Write NAME.png of each example, and all objects to objects.json (box: y0, x0, y1, x1)."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = {}
    for name, index, shape, familiar in EXAMPLES:
        scene = draw_scene(EXAMPLE_SEED, index, shape, familiar)
        Image.fromarray(scene.pixels).save(folder / f"{name}.png", optimize=True)
        truth[f"{name}.png"] = ground_truth(scene)
    lines = [f"{json.dumps(name)}: {json.dumps(content)}" for name, content in truth.items()]
    (folder / "objects.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    """Write the examples into the folder given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parent / "examples"
    parser.add_argument("folder", type=Path, nargs="?", default=default, help="folder to fill")
    write_examples(parser.parse_args().folder)


if __name__ == "__main__":
    main()
