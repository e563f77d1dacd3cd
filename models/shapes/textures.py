# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Textures for backgrounds and fills: fields of 0 to 1 that are coloured by a palette."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

F32 = NDArray[np.float32]
Rng = np.random.Generator
Texture = Callable[[Rng, int, int], F32]
"""Takes a height and a width, returns a field of that shape, each value 0 to 1."""


def color(rng: Rng) -> F32:
    """Draw a colour, pale as often as vivid, dark as often as bright (RGB, 0 to 255)."""
    rgb = colorsys.hsv_to_rgb(rng.random(), rng.random(), rng.uniform(0.1, 1.0))
    return np.array(rgb, np.float32) * 255.0


def turned_axis(rng: Rng, height: int, width: int) -> F32:
    """Return each pixel's distance (in pixels) along a random direction."""
    angle = rng.uniform(0.0, 2.0 * math.pi)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return np.asarray(y * math.sin(angle) + x * math.cos(angle), np.float32)


def gradient(rng: Rng, height: int, width: int) -> F32:
    """Return a ramp in a random direction."""
    ramp = turned_axis(rng, height, width)
    return np.asarray((ramp - ramp.min()) / (ramp.max() - ramp.min() + 1.0))


def clouds(rng: Rng, height: int, width: int) -> F32:
    """Return smooth noise of two sizes."""
    field = np.zeros((height, width), np.float32)
    for cells, weight in ((int(rng.integers(3, 8)), 0.7), (int(rng.integers(12, 33)), 0.3)):
        grid = Image.fromarray(rng.random((cells, cells), np.float32))
        enlarged = grid.resize((width, height), Image.Resampling.BICUBIC)
        field += weight * np.asarray(enlarged, np.float32)
    return np.asarray(np.clip(field, 0.0, 1.0), np.float32)


def stripes(rng: Rng, height: int, width: int) -> F32:
    """Return parallel bars with hard or soft edges."""
    phase = turned_axis(rng, height, width) / rng.uniform(4.0, 24.0)
    wave = np.sin(2.0 * math.pi * phase) * rng.uniform(1.0, 8.0)
    return np.asarray(np.clip(wave, -1.0, 1.0) * 0.5 + 0.5, np.float32)


def checks(rng: Rng, height: int, width: int) -> F32:
    """Return a turned chessboard."""
    period = rng.uniform(5.0, 20.0)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    angle = rng.uniform(0.0, math.pi)
    u = np.floor((y * math.sin(angle) + x * math.cos(angle)) / period)
    v = np.floor((y * math.cos(angle) - x * math.sin(angle)) / period)
    return np.asarray((u + v) % 2, np.float32)


def planes(rng: Rng, height: int, width: int) -> F32:
    """Return the flat pieces between a few straight cuts, as of walls and table tops."""
    field = np.zeros((height, width), np.float32)
    for _ in range(int(rng.integers(1, 5))):
        axis = turned_axis(rng, height, width)
        field += rng.uniform(-1.0, 1.0) * (axis > rng.uniform(axis.min(), axis.max()))
    spread = field.max() - field.min()
    return np.asarray((field - field.min()) / max(float(spread), 0.5), np.float32)


def cells(rng: Rng, height: int, width: int) -> F32:
    """Return a mosaic: every pixel has the value of the nearest of some random points."""
    count = int(rng.integers(8, 60))
    points = rng.uniform(0.0, 1.0, (count, 2, 1, 1)) * np.reshape([height, width], (1, 2, 1, 1))
    place = np.mgrid[0:height, 0:width][np.newaxis]
    nearest = np.argmin(((place - points) ** 2).sum(axis=1), axis=0)
    shades: F32 = rng.random(count, np.float32)
    return np.asarray(shades[nearest])


def ripples(rng: Rng, height: int, width: int) -> F32:
    """Return the sum of three waves, each bent by another."""
    field = np.zeros((height, width), np.float32)
    for _ in range(3):
        bend = np.sin(turned_axis(rng, height, width) / rng.uniform(6.0, 20.0))
        along = turned_axis(rng, height, width) / rng.uniform(2.0, 12.0)
        field += np.sin(along + 2.0 * bend)
    return np.asarray(field / 6.0 + 0.5, np.float32)


def bricks(rng: Rng, height: int, width: int) -> F32:
    """Return a brick wall, every brick of its own shade, with light joints."""
    tall, long = int(rng.integers(5, 13)), int(rng.integers(12, 30))
    y, x = np.mgrid[0:height, 0:width]
    y, x = y + int(rng.integers(tall)), x + int(rng.integers(long))
    row = y // tall
    shifted = x + (row % 2) * (long // 2)
    shades = rng.uniform(0.0, 0.6, (height + 1, width + long)).astype(np.float32)
    wall = shades[row, shifted // long]
    return np.where((y % tall == 0) | (shifted % long == 0), np.float32(1.0), wall)


FAMILIAR: tuple[Texture, ...] = (gradient, clouds, stripes, checks, planes)
"""Textures of training scenes."""

UNFAMILIAR: tuple[Texture, ...] = (cells, ripples, bricks)
"""Textures that training never shows."""


def palette_texture(
    rng: Rng, shape: tuple[int, ...], textures: tuple[Texture, ...], palette: tuple[F32, F32]
) -> F32:
    """Return a random one of ``textures`` between two colours."""
    field = textures[rng.integers(len(textures))](rng, shape[0], shape[1])[..., np.newaxis]
    return np.asarray(palette[0] * (1.0 - field) + palette[1] * field, np.float32)


def background(rng: Rng, shape: tuple[int, int], textures: tuple[Texture, ...]) -> F32:
    """Return a background: two textures laid over each other, (height, width, 3), 0 to 255."""
    below = palette_texture(rng, shape, textures, (color(rng), color(rng)))
    above = palette_texture(rng, shape, textures, (color(rng), color(rng)))
    return np.asarray(below + rng.uniform(0.0, 0.5) * (above - below), np.float32)
