# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Draw cluttered scenes with circles, squares, triangles and stars, and know where each one is.

Everything random comes from one generator per scene, so that a seed and an index name a scene.
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter
from textures import FAMILIAR, UNFAMILIAR, background, color, palette_texture

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
Rng = np.random.Generator

CLASSES = ("circle", "square", "triangle", "star")
"""What is detected, in the order of labels.txt."""

SIDE = 96
"""Height and width of the network's input in pixels."""

CAMERA = (120, 160)
"""Height and width of a camera frame; every CAMERA_EVERY-th scene is drawn so, then resized."""

CAMERA_EVERY = 4
MAX_OBJECTS = 6
SIZES = (12.0, 40.0)
"""Longer side of an object's box, in pixels of a 96x96 picture."""

MIN_VISIBLE = 0.6
"""Least part of an object that is left in view, after the frame's edge and what covers it."""

MIN_CONTRAST = 100.0
"""Least distance in RGB (0 to 255 each) of an object's mean colour from what is behind it."""

SUPERSAMPLING = 4


@dataclass(frozen=True)
class Scene:
    """A picture and its objects: boxes are (n, 4) = y0, x0, y1, x1 in pixels of the picture."""

    pixels: U8
    classes: I64
    boxes: F32


@dataclass(frozen=True)
class Scenes:
    """Many scenes as network inputs; an unused place for an object has class -1."""

    pixels: U8
    classes: I64
    boxes: F32


def regular(points: int, first: float = 0.0) -> F32:
    """Return a regular polygon of radius 1."""
    turn = first + 2.0 * math.pi * np.arange(points) / points
    return np.stack([np.sin(turn), np.cos(turn)], axis=1).astype(np.float32)


def star(rng: Rng) -> F32:
    """Return a five-pointed star of radius 1, slim or fat."""
    points = regular(10)
    points[1::2] *= rng.uniform(0.4, 0.52)
    return points


def crescent(rng: Rng) -> F32:
    """Return a moon: a half circle and a flatter arc back."""
    turn = np.linspace(-1.9, 1.9, 24)
    outer = np.stack([np.sin(turn), np.cos(turn)], axis=1)
    inner = outer[::-1] * [1.0, rng.uniform(0.2, 0.5)] - [0.0, 0.15]
    return np.concatenate([outer, inner]).astype(np.float32)


def outline(*corners: tuple[float, float]) -> Callable[[Rng], F32]:
    """Return a maker of the polygon with these corners."""
    return lambda rng: np.array(corners, np.float32)


OBJECTS: tuple[Callable[[Rng], F32], ...] = (
    lambda rng: regular(36),
    lambda rng: regular(4),
    lambda rng: regular(3),
    star,
)
"""Makers of the outlines of CLASSES."""

FAMILIAR_DISTRACTORS: tuple[Callable[[Rng], F32], ...] = (
    crescent,
    # A plus sign.
    outline(
        *((-1, -0.3), (-1, 0.3), (-0.3, 0.3), (-0.3, 1), (0.3, 1), (0.3, 0.3)),
        *((1, 0.3), (1, -0.3), (0.3, -0.3), (0.3, -1), (-0.3, -1), (-0.3, -0.3)),
    ),
    # A bar.
    outline((-1, -0.25), (-1, 0.25), (1, 0.25), (1, -0.25)),
    # The letter L.
    outline((-1, -0.7), (-1, -0.2), (0.5, -0.2), (0.5, 0.7), (1, 0.7), (1, -0.7)),
)
"""Shapes in training scenes that are not to be detected."""

UNFAMILIAR_DISTRACTORS: tuple[Callable[[Rng], F32], ...] = (
    # An arrow.
    outline(
        *((-1, 0), (-0.2, 0.7), (-0.2, 0.25), (1, 0.25)),
        *((1, -0.25), (-0.2, -0.25), (-0.2, -0.7)),
    ),
    # The letter T.
    outline(
        *((-1, -0.8), (-1, 0.8), (-0.5, 0.8), (-0.5, 0.25)),
        *((1, 0.25), (1, -0.25), (-0.5, -0.25), (-0.5, -0.8)),
    ),
    # The letter U.
    outline(
        *((-1, -0.8), (1, -0.8), (1, 0.8), (-1, 0.8)),
        *((-1, 0.35), (0.5, 0.35), (0.5, -0.35), (-1, -0.35)),
    ),
)
"""Shapes that only scenes with unfamiliar textures have."""


def posed(points: F32, size: float, rng: Rng) -> F32:
    """Stretch ``points`` a little, turn them, and make their box's longer side ``size``."""
    turned = points * rng.uniform(0.87, 1.15, 2).astype(np.float32)
    angle = rng.uniform(0.0, 2.0 * math.pi)
    cosine, sine = math.cos(angle), math.sin(angle)
    turned = turned @ np.array([[cosine, -sine], [sine, cosine]], np.float32)
    low, high = turned.min(axis=0), turned.max(axis=0)
    return np.asarray((turned - (low + high) / 2.0) * (size / float((high - low).max())))


@dataclass(frozen=True)
class Patch:
    """An outline rasterised: ``mask`` (0 to 1) belongs at row ``top``, column ``left``."""

    mask: F32
    top: int
    left: int


def rasterise(points: F32, scale: float = 1.0) -> Patch:
    """Rasterise the polygon ``points`` (y, x in pixels), shrunk about its middle by ``scale``."""
    low = np.floor(points.min(axis=0)).astype(int) - 1
    height, width = np.ceil(points.max(axis=0)).astype(int) + 1 - low
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
    shrunk = (points - middle) * scale + middle - low
    image = Image.new("L", (int(width) * SUPERSAMPLING, int(height) * SUPERSAMPLING))
    corners = [(float(x) - 0.5, float(y) - 0.5) for y, x in shrunk * SUPERSAMPLING]
    ImageDraw.Draw(image).polygon(corners, fill=255)
    mask = np.asarray(image.reduce(SUPERSAMPLING), np.float32) / 255.0
    return Patch(mask, int(low[0]), int(low[1]))


class Canvas:
    """A picture being painted, which knows how much of each object is still seen."""

    def __init__(self, pixels: F32) -> None:
        """Begin with a background of (height, width, 3) floats, 0 to 255."""
        self.pixels = pixels
        self.height, self.width = pixels.shape[:2]
        self.owner = np.full((self.height, self.width), -1, np.int64)
        self.area: list[float] = []

    def clip(self, patch: Patch) -> tuple[tuple[slice, slice], F32]:
        """Return the place of ``patch`` in the picture, and the mask of what lies inside."""
        top, left = max(patch.top, 0), max(patch.left, 0)
        bottom = min(patch.top + patch.mask.shape[0], self.height)
        right = min(patch.left + patch.mask.shape[1], self.width)
        place = (slice(top, max(bottom, top)), slice(left, max(right, left)))
        rows = slice(top - patch.top, max(bottom, top) - patch.top)
        return place, patch.mask[rows, left - patch.left : max(right, left) - patch.left]

    def admits(self, patch: Patch) -> bool:
        """Tell whether all objects stay visible enough when ``patch`` is painted over them."""
        place, mask = self.clip(patch)
        owner = self.owner
        seen = np.bincount(owner[owner >= 0], minlength=len(self.area))
        under = owner[place][mask > 0.5]
        lost = np.bincount(under[under >= 0], minlength=len(self.area))
        return bool(np.all(seen - lost >= MIN_VISIBLE * np.array(self.area)))

    def paint(self, patch: Patch, paint: F32 | float, opacity: float = 1.0) -> None:
        """Blend ``paint`` (a colour, or a picture of the patch's size) into the picture."""
        place, mask = self.clip(patch)
        if isinstance(paint, np.ndarray) and paint.ndim == 3:
            rows = slice(place[0].start - patch.top, place[0].stop - patch.top)
            paint = paint[rows, place[1].start - patch.left : place[1].stop - patch.left]
        alpha = mask[..., np.newaxis] * opacity
        self.pixels[place] += alpha * (paint - self.pixels[place])

    def cover(self, patch: Patch, owner: int) -> None:
        """Note that ``patch`` now shows object ``owner`` (-1: none)."""
        place, mask = self.clip(patch)
        self.owner[place][mask > 0.5] = owner


def contrasting_color(canvas: Canvas, patch: Patch, rng: Rng) -> F32:
    """Draw a colour that stands out against what is under ``patch``."""
    place, mask = canvas.clip(patch)
    weight = mask[..., np.newaxis] + 1e-6
    behind = (canvas.pixels[place] * weight).sum(axis=(0, 1)) / weight.sum()
    for _ in range(20):
        candidate = color(rng)
        if np.linalg.norm(candidate - behind) >= MIN_CONTRAST:
            return candidate
    return np.full(3, 0.0 if behind.mean() > 127.0 else 255.0, np.float32)


def paint_shape(canvas: Canvas, points: F32, patch: Patch, rng: Rng) -> None:
    """Paint one shape: perhaps a shadow, a plain or patterned fill, perhaps a border."""
    fill: F32 = contrasting_color(canvas, patch, rng)
    opacity = rng.uniform(0.9, 1.0)
    if rng.random() < 0.25:
        down, right = rng.integers(-3, 4, 2)
        shadow = Patch(patch.mask, patch.top + int(down), patch.left + int(right))
        canvas.paint(shadow, 0.0, rng.uniform(0.2, 0.5))
    if rng.random() < 0.4:
        other = np.clip(fill + rng.normal(0.0, 25.0, 3), 0.0, 255.0).astype(np.float32)
        fill = palette_texture(rng, patch.mask.shape, FAMILIAR, (fill, other))
    if rng.random() < 0.25:
        canvas.paint(patch, color(rng), opacity)
        patch = rasterise(points, rng.uniform(0.65, 0.85))
    canvas.paint(patch, fill, opacity)


def place_shape(
    canvas: Canvas, make: Callable[[Rng], F32], size: float, margin: float, rng: Rng
) -> tuple[F32, Patch] | None:
    """Find a place where the shape hides no object too much; None after twelve tries."""
    for _ in range(12):
        points = posed(make(rng), size, rng)
        middle = [rng.uniform(margin, length - margin) for length in (canvas.height, canvas.width)]
        points = points + np.array(middle, np.float32)
        patch = rasterise(points)
        _, inside = canvas.clip(patch)
        if inside.sum() >= 0.75 * patch.mask.sum() and canvas.admits(patch):
            return points, patch
    return None


def add_distractors(
    canvas: Canvas, makers: tuple[Callable[[Rng], F32], ...], unit: float, rng: Rng
) -> None:
    """Paint up to two shapes that are not to be detected, and up to three strokes."""
    for _ in range(rng.integers(0, 3)):
        size = unit * rng.uniform(*SIZES)
        make = makers[rng.integers(len(makers))]
        found = place_shape(canvas, make, size, 0.0, rng)
        if found:
            paint_shape(canvas, *found, rng)
            canvas.cover(found[1], -1)
    for _ in range(rng.integers(0, 4)):
        patch = stroke(canvas, unit, rng)
        if canvas.admits(patch):
            canvas.paint(patch, color(rng), rng.uniform(0.6, 1.0))
            canvas.cover(patch, -1)


def stroke(canvas: Canvas, unit: float, rng: Rng) -> Patch:
    """Return a line or a bent stroke somewhere in the picture."""
    image = Image.new("L", (canvas.width * 2, canvas.height * 2))
    corners = rng.uniform(-0.1, 1.1, (3, 2)) * [canvas.width * 2, canvas.height * 2]
    t = np.linspace(0.0, 1.0, 12 if rng.random() < 0.5 else 2)[:, np.newaxis]
    curve = (1 - t) ** 2 * corners[0] + 2 * t * (1 - t) * corners[1] + t**2 * corners[2]
    width = max(1, round(2 * unit * rng.uniform(0.6, 2.5)))
    ImageDraw.Draw(image).line([(float(x), float(y)) for x, y in curve], fill=255, width=width)
    small = image.reduce(2)
    left, top, right, bottom = small.getbbox() or (0, 0, 1, 1)
    mask = np.asarray(small.crop((left, top, right, bottom)), np.float32) / 255.0
    return Patch(mask, top, left)


def add_object(canvas: Canvas, unit: float, rng: Rng) -> tuple[int, F32] | None:
    """Paint one object; return its class and its box, cut at the picture's edge."""
    kind = int(rng.integers(len(CLASSES)))
    size = unit * float(np.exp(rng.uniform(*np.log(SIZES))))
    found = place_shape(canvas, OBJECTS[kind], size, 0.3 * size, rng)
    if found is None:
        return None
    points, patch = found
    paint_shape(canvas, points, patch, rng)
    canvas.cover(patch, len(canvas.area))
    canvas.area.append(float((patch.mask > 0.5).sum()))
    limit = np.array([canvas.height, canvas.width], np.float32)
    corners = np.clip(np.stack([points.min(axis=0), points.max(axis=0)]), 0.0, limit)
    return kind, corners.reshape(4)


def photograph(pixels: F32, unit: float, rng: Rng) -> U8:
    """Light the scene unevenly, blur it, tint it, and add noise, as a cheap camera would."""
    height, width = pixels.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    if rng.random() < 0.5:
        angle = rng.uniform(0.0, 2.0 * math.pi)
        ramp = (x / width - 0.5) * math.cos(angle) + (y / height - 0.5) * math.sin(angle)
        light = 1.0 + rng.uniform(0.0, 0.8) * ramp
    else:
        far = np.hypot(x / width - rng.uniform(0, 1), y / height - rng.uniform(0, 1))
        light = 1.15 - rng.uniform(0.0, 0.5) * far
    tint = rng.uniform(0.88, 1.12, 3) * rng.uniform(0.75, 1.2)
    lit = np.clip(pixels * light[..., np.newaxis] * tint, 0.0, 255.0)
    image = Image.fromarray(lit.astype(np.uint8))
    if rng.random() < 0.6:
        image = image.filter(ImageFilter.GaussianBlur(unit * rng.uniform(0.3, 0.7)))
    noise = rng.standard_normal(pixels.shape, np.float32) * rng.uniform(0.0, 8.0)
    noisy = np.rint(np.asarray(image) + noise)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def draw_scene(seed: int, index: int, shape: tuple[int, int], familiar: bool = True) -> Scene:
    """Draw scene ``index`` of ``seed``: ``shape`` is its height and width in pixels.

    A scene that is not ``familiar`` has the textures and distractors that training never shows.
    """
    rng = np.random.default_rng([seed, index])
    unit = math.sqrt(shape[0] * shape[1]) / SIDE
    makers = FAMILIAR_DISTRACTORS if familiar else UNFAMILIAR_DISTRACTORS
    canvas = Canvas(background(rng, shape, FAMILIAR if familiar else UNFAMILIAR))
    add_distractors(canvas, makers, unit, rng)
    wanted = int(rng.integers(1, MAX_OBJECTS + 1))
    objects = [add_object(canvas, unit, rng) for _ in range(wanted)]
    found = [item for item in objects if item is not None]
    add_distractors(canvas, makers, unit, rng)
    return Scene(
        photograph(canvas.pixels, unit, rng),
        np.array([kind for kind, _ in found], np.int64),
        np.array([box for _, box in found], np.float32).reshape(-1, 4),
    )


def resize_bilinear(pixels: U8, height: int, width: int) -> U8:
    """Resize as a microcontroller does: bilinear between four pixels, half-pixel centres."""
    result: Any = pixels.astype(np.float32)
    for axis, length in ((0, height), (1, width)):
        old = pixels.shape[axis]
        place = np.clip((np.arange(length) + 0.5) * old / length - 0.5, 0.0, old - 1.0)
        low = np.minimum(place.astype(np.int64), old - 2)
        part = (place - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1)).astype(np.float32)
        result = np.take(result, low, axis) * (1 - part) + np.take(result, low + 1, axis) * part
    return np.asarray(np.rint(result), np.uint8)


def fit_to_network(scene: Scene) -> Scene:
    """Resize the picture and the boxes of ``scene`` to the network's input."""
    height, width = scene.pixels.shape[:2]
    scale = np.array([SIDE / height, SIDE / width] * 2, np.float32)
    pixels = resize_bilinear(scene.pixels, SIDE, SIDE) if scale.min() < 1.0 else scene.pixels
    return Scene(pixels, scene.classes, scene.boxes * scale)


def network_scene(task: tuple[int, int, bool]) -> Scene:
    """Draw scene (seed, index, familiar) as the network sees it; each fourth by a camera."""
    seed, index, familiar = task
    camera = index % CAMERA_EVERY == CAMERA_EVERY - 1
    shape = CAMERA if camera else (SIDE, SIDE)
    return fit_to_network(draw_scene(seed, index, shape, familiar))


def draw_scenes(seed: int, count: int, familiar: bool = True, processes: int = 2) -> Scenes:
    """Draw scenes 0 to ``count`` - 1 of ``seed`` as network inputs."""
    scenes = Scenes(
        np.zeros((count, SIDE, SIDE, 3), np.uint8),
        np.full((count, MAX_OBJECTS), -1, np.int64),
        np.zeros((count, MAX_OBJECTS, 4), np.float32),
    )
    tasks = [(seed, index, familiar) for index in range(count)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for index, scene in enumerate(pool.imap(network_scene, tasks, chunksize=64)):
            scenes.pixels[index] = scene.pixels
            scenes.classes[index, : len(scene.classes)] = scene.classes
            scenes.boxes[index, : len(scene.classes)] = scene.boxes
    return scenes
