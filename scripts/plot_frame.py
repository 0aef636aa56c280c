#!/usr/bin/python3
"""Draws the points of one HDF5 frame, coloured by speed: scripts/plot_frame.py FRAME.hdf OUT.png

Further frames are drawn in grey: the samples of a boundary, say."""
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def points(file):
    with h5py.File(file) as h:
        data = h["VTKHDF/PointData"]
        velocity = data["velocity"][:] if "velocity" in data else None
        return h["VTKHDF/Points"][:], velocity, h.attrs["time"]


def project(x, azimuth=np.radians(-58), elevation=np.radians(24)):
    """Orthographic: right, up and depth of y-up points."""
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    right = np.array([-sa, 0, -ca])
    toward = np.array([ca * ce, se, -sa * ce])
    up = np.cross(toward, right)
    return x @ right, x @ up, x @ toward


def main():
    frame, out, *others = sys.argv[1:]
    x, velocity, time = points(frame)
    flat = np.ptp(x[:, 2]) == 0
    figure, axes = plt.subplots(figsize=(11, 5.2), dpi=110)
    shown = [(x, np.linalg.norm(velocity, axis=1), None)] + [(points(o)[0], None, "0.62") for o in others]
    every = np.concatenate([p for p, _, _ in shown])
    colour = np.concatenate([np.full(len(p), np.nan) if s is None else s for p, s, _ in shown])
    a, b, depth = (every[:, 0], every[:, 1], every[:, 0]) if flat else project(every)
    order = np.argsort(depth)
    palette = plt.get_cmap("viridis").copy()
    palette.set_bad("0.62")
    dots = axes.scatter(a[order], b[order], c=np.ma.masked_invalid(colour[order]), s=3.2, cmap=palette, linewidths=0,
                        plotnonfinite=True)
    figure.colorbar(dots, ax=axes, label="speed [m/s]", fraction=0.03, pad=0.01)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(f"t = {time:.2f} s", fontsize=10)
    figure.tight_layout()
    figure.savefig(out)


main()
