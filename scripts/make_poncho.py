#!/usr/bin/env python3
"""Writes configs/xpbd/poncho.obj: an oval of cloth with a hole for the head, lying in y = 0."""
import math
import pathlib

RINGS, AROUND = 12, 40  # of cells
HOLE, WIDE, LONG = 0.11, 0.62, 0.5  # half widths [m]

out = pathlib.Path(__file__).parent.parent / "configs/xpbd/poncho.obj"
with out.open("w") as f:
    f.write("# A poncho [m]: scripts/make_poncho.py\n")
    for k in range(RINGS + 1):
        for m in range(AROUND):
            a, s = 2 * math.pi * (m + 0.5 * (k % 2)) / AROUND, k / RINGS
            f.write(f"v {(HOLE + s * (WIDE - HOLE)) * math.cos(a):.5f} 0 "
                    f"{(HOLE + s * (LONG - HOLE)) * math.sin(a):.5f}\n")
    for k in range(RINGS):
        for m in range(AROUND):
            n = (m + 1) % AROUND
            a, b, c, d = (AROUND * k + m, AROUND * k + n, AROUND * (k + 1) + m,
                          AROUND * (k + 1) + n)
            for t in ((a, b, d), (a, d, c)) if k % 2 else ((a, b, c), (b, d, c)):
                f.write("f " + " ".join(str(i + 1) for i in t) + "\n")
