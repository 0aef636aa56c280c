#!/usr/bin/python3
"""Draws one HDF5 frame: scripts/plot_frame.py FRAME.hdf OUT.png [FRAME.hdf...]

Points are coloured by speed; further frames are drawn in grey: the samples of a boundary, say.
Meshes and bodies are drawn by their triangles, lit from above, or by their edges; behind a frame of
points in plain grey, over them. A grid in space is drawn as
the means of density, or else of speed, along z and along x. Wants the package python3-matplotlib."""
import collections
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402


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


FACES = {3: [(0, 1)], 5: [(0, 1, 2)], 10: [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]}  # VTK's cell types


def faces(file):
    """Points of a mesh, its triangles (of tets those outside) and lines, and the time; None without cells."""
    with h5py.File(file) as h:
        vtk = h["VTKHDF"]
        if vtk.attrs["Type"] != b"UnstructuredGrid" or not np.isin(vtk["Types"][:], list(FACES)).all():
            return None
        corners, ends, kinds = vtk["Connectivity"][:], vtk["Offsets"][:], vtk["Types"][:]
        found = [tuple(corners[end + f] for f in face) for end, kind in zip(ends[:-1], kinds) for face in FACES[kind]]
        count = collections.Counter(tuple(sorted(f)) for f in found) if 10 in kinds else {}
        outside = [f for f in found if count.get(tuple(sorted(f)), 1) == 1]
        return vtk["Points"][:], np.array([f for f in outside if len(f) == 3], int).reshape(-1, 3), np.array(
            [f for f in outside if len(f) == 2], int).reshape(-1, 2), h.attrs["time"]


def draw_meshes(meshes, out):
    figure, axes = plt.subplots(figsize=(8, 6.4), dpi=110)
    polygons, colours, depths = [], [], []
    for k, (x, triangles, lines, _) in enumerate(meshes):
        flat_x = not np.ptp(x[:, 2])
        a, b, depth = (x[:, 0], x[:, 1], x[:, 2]) if flat_x else project(x.astype(float))
        flat = np.stack([a, b], 1)
        axes.add_collection(LineCollection(flat[lines], colors="0.2", linewidths=0.8))
        axes.plot(a, b, alpha=0)  # for the limits
        if not len(triangles):
            continue
        corner = x[triangles].astype(float)
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-30)[:, None]
        light = 0.35 + 0.65 * np.abs(normal @ np.array([0.3, 0.85, 0.43]))
        polygons.append(flat[triangles])
        colours.append(light[:, None] * np.array(plt.get_cmap("tab10")(k)[:3]))
        depths.append(depth[triangles].mean(1))
    if polygons:
        order = np.argsort(np.concatenate(depths))
        axes.add_collection(PolyCollection(np.concatenate(polygons)[order], facecolors=np.concatenate(colours)[order],
                                           edgecolors="face", linewidths=0.2))
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(f"t = {meshes[0][3]:.2f} s", fontsize=10)
    figure.tight_layout()
    figure.savefig(out)


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
    meshes = [faces(f) for f in (frame, *others)]
    if meshes[0]:
        draw_meshes([m for m in meshes if m], out)
        return
    x, velocity, time = points(frame)
    flat = np.ptp(x[:, 2]) == 0
    figure, axes = plt.subplots(figsize=(11, 5.2), dpi=110)
    shown = [(x, np.linalg.norm(velocity, axis=1), None)] + [(points(o)[0], None, "0.62") for o in others if not faces(o)]
    every = np.concatenate([p for p, _, _ in shown])
    colour = np.concatenate([np.full(len(p), np.nan) if s is None else s for p, s, _ in shown])
    a, b, depth = (every[:, 0], every[:, 1], every[:, 0]) if flat else project(every)
    order = np.argsort(depth)
    palette = plt.get_cmap("viridis").copy()
    palette.set_bad("0.62")
    dots = axes.scatter(a[order], b[order], c=np.ma.masked_invalid(colour[order]), s=3.2, cmap=palette, linewidths=0,
                        plotnonfinite=True)
    figure.colorbar(dots, ax=axes, label="speed [m/s]", fraction=0.03, pad=0.01)
    for x, triangles, _, _ in (m for m in map(faces, others) if m):
        corners = np.stack([x[:, 0], x[:, 1]] if flat else project(x.astype(float))[:2], 1)[triangles]
        axes.add_collection(PolyCollection(corners, facecolors="0.45", edgecolors="face", linewidths=0.2, zorder=3))
        axes.plot(*corners.reshape(-1, 2).T, alpha=0)  # for the limits
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(f"t = {time:.2f} s", fontsize=10)
    figure.tight_layout()
    figure.savefig(out)


main()
