#!/usr/bin/env python3
"""Writes configs/wcsph/obstacle.obj: a lumpy column of rock for the dam break, closed.

Rings of corners about the y axis, their radius a smooth sum of waves, with a rounded top:
    python3 scripts/make_obstacle.py configs/wcsph/obstacle.obj
"""
import math
import sys

SEGMENTS, RINGS = 22, 12
BOTTOM, TOP = -0.01, 0.25  # [m]; the bottom stands below the floor, so that no gap opens there
RADIUS = 0.07  # [m]


def radius(height, angle):
    """height from 0 to 1 along the column."""
    waist = 1 - 0.18 * height + 0.06 * math.sin(7 * height + 0.6)
    lumps = 0.09 * math.sin(2 * angle + 3 * height) + 0.06 * math.sin(5 * angle - 6 * height + 1)
    dome = math.sqrt(max(0.0, 1 - max(0.0, (height - 0.7) / 0.3) ** 3))
    return RADIUS * dome * (waist + lumps)


def corners():
    yield 0.0, BOTTOM, 0.0
    for ring in range(RINGS):
        height = math.sin(0.5 * math.pi * ring / RINGS)  # rings gather under the dome
        for segment in range(SEGMENTS):
            angle = 2 * math.pi * (segment + 0.5 * (ring % 2)) / SEGMENTS
            r = radius(height, angle)
            yield r * math.cos(angle), BOTTOM + (TOP - BOTTOM) * height, r * math.sin(angle)
    yield 0.0, TOP, 0.0


def triangles():
    """Indices from 1, counter-clockwise seen from outside."""
    last = RINGS * SEGMENTS + 2
    for s in range(SEGMENTS):
        t = (s + 1) % SEGMENTS
        yield 1, 2 + s, 2 + t
        yield last, last - SEGMENTS + t, last - SEGMENTS + s
    for ring in range(RINGS - 1):
        low, high = 2 + ring * SEGMENTS, 2 + (ring + 1) * SEGMENTS
        for s in range(SEGMENTS):
            t = (s + 1) % SEGMENTS
            if ring % 2 == 0:  # the ring above is turned by half a segment
                yield low + s, high + s, low + t
                yield low + t, high + s, high + t
            else:
                yield low + s, high + s, high + t
                yield low + s, high + t, low + t


def main():
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("# A lumpy column of rock, written by scripts/make_obstacle.py; metres, y up\n")
        for x, y, z in corners():
            file.write(f"v {x:.6f} {y:.6f} {z:.6f}\n")
        for a, b, c in triangles():
            file.write(f"f {a} {b} {c}\n")


if __name__ == "__main__":
    main()
