#!/usr/bin/python3
"""Draws one HDF5 frame: scripts/plot_frame.py FRAME.hdf OUT.png [FRAME.hdf...]

Points are coloured by speed; further frames are drawn in grey: the samples of a boundary, say.
A grid in space is drawn as the means of density, or else of speed, along z and along x. Wants the
package python3-matplotlib."""
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


def images(file):
    """Means of a grid along z and x, with their extents, its name and the time; None for points."""
    with h5py.File(file) as h:
        vtk = h["VTKHDF"]
        if vtk.attrs["Type"] != b"ImageData":
            return None
        data = vtk["PointData"]
        name = "density" if "density" in data else "velocity"
        values = data[name][:]  # z, y, x
        if values.ndim == 4:
            values, name = np.linalg.norm(values, axis=-1), "speed"
        step, low = vtk.attrs["Spacing"], vtk.attrs["Origin"] - vtk.attrs["Spacing"] / 2
        x, y, z = [(low[a], low[a] + step[a] * values.shape[2 - a]) for a in range(3)]
        return name, h.attrs["time"], [(values.mean(0), x + y, "xy"), (values.mean(2).T, z + y, "zy")]


def draw_images(name, time, sides, out):
    figure, axes = plt.subplots(1, 2, figsize=(11, 5.2), dpi=110)
    for ax, (values, extent, labels) in zip(axes, sides):
        image = ax.imshow(values, origin="lower", extent=extent, cmap="magma")
        ax.set_xlabel(labels[0] + " [m]")
        ax.set_ylabel(labels[1] + " [m]")
        figure.colorbar(image, ax=ax, label="mean " + name, fraction=0.03, pad=0.01)
    figure.suptitle(f"t = {time:.2f} s", fontsize=10)
    figure.tight_layout()
    figure.savefig(out)


def project(x, azimuth=np.radians(-58), elevation=np.radians(24)):
    """Orthographic: right, up and depth of y-up points."""
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    right = np.array([-sa, 0, -ca])
    toward = np.array([ca * ce, se, -sa * ce])
    up = np.cross(toward, right)
    return x @ right, x @ up, x @ toward


def main():
    frame, out, *others = sys.argv[1:]
    grid = images(frame)
    if grid:
        draw_images(*grid, out)
        return
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
