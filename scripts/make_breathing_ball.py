#!/usr/bin/env python3
"""Writes the frames of configs/flip/breathing_ball.json: a ball that swells, as three OBJ files of one topology.

    python3 scripts/make_breathing_ball.py configs/flip
"""
import math
import pathlib
import sys

RADII = 0.14, 0.14, 0.2  # [m], of the frames 0, 1, 2
CENTRE = 0.3, 0.25, 0.3  # [m]
HALVINGS = 2  # of the edges of an icosahedron


def icosphere(halvings):
    """Corners on the unit sphere, and triangles counter-clockwise as seen from outside."""
    g = (1 + math.sqrt(5)) / 2
    corners = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g),
               (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    triangles = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4),
                 (11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8),
                 (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    unit = [tuple(c / math.hypot(*p) for c in p) for p in corners]
    for _ in range(halvings):
        middles, finer = {}, []

        def middle(a, b):
            key = min(a, b), max(a, b)
            if key not in middles:
                p = [unit[a][k] + unit[b][k] for k in range(3)]
                unit.append(tuple(c / math.hypot(*p) for c in p))
                middles[key] = len(unit) - 1
            return middles[key]

        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = finer
    return unit, triangles


def write_obj(path, corners, triangles, digits=6):
    with open(path, "w") as file:
        for p in corners:
            print("v", *(f"{c:.{digits}g}" for c in p), file=file)
        for t in triangles:
            print("f", *(i + 1 for i in t), file=file)


def main():
    folder = pathlib.Path(sys.argv[1])
    unit, triangles = icosphere(HALVINGS)
    for number, radius in enumerate(RADII):
        corners = [[m + radius * c for m, c in zip(CENTRE, p)] for p in unit]
        write_obj(folder / f"breathing_ball_{number}.obj", corners, triangles)


if __name__ == "__main__":
    main()
