#!/usr/bin/python3
"""Runs again the experiments of "Computational Fluid Dynamics in 2D Game Environments" (master's
thesis, Umea 2011, chapters 6 and 7) and writes docs/umea_2011.md with its figures: density by depth,
kinetic energy, and milliseconds an update beside its tables 7.1 to 7.4.

    scripts/umea_2011.py
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import time

import h5py
import matplotlib
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("RTSIM", ROOT / "scripts/rtsim")
RUNS = ROOT / "runs" / "umea_2011"
DOCS = ROOT / "docs"
METHODS = ["mueller", "clavet", "bodin"]
MASS, DENSITY = 2.0, 100.0  # kg, kg/m^2
# Table 7.1 and 7.2 of the thesis: milliseconds an update for 500, 1000, 1500 and 2000 particles.
THESIS = {"dam": {"mueller": [2.4, 4.6, 7.0, 9.6], "clavet": [2.4, 4.7, 7.3, 9.9],
                  "bodin": [3.6, 6.9, 10.2, 13.6], "bodin, 10 sweeps": [3.0, 5.6, 8.3, 11.2]},
          "pillar": {"mueller": [2.5, 5.3, 8.7, 13.0], "clavet": [2.7, 5.4, 8.5, 11.9],
                     "bodin": [3.6, 7.0, 10.4, 14.0], "bodin, 10 sweeps": [3.0, 5.7, 8.6, 11.4]}}

HEAD = """# Three methods in a pillar of water

Written by `scripts/umea_2011.py`: the experiments of "Computational Fluid Dynamics in 2D Game
Environments" (master's thesis, Umea 2011, chapters 6 and 7), run again from
`configs/umea_2011/pillar_*.json`. The thesis's findings, and ours:

| the thesis | here |
|---|---|
| Mueller's density grows linearly with depth | so it does |
| Mueller's pillar of 2000 oscillates; kinetic energy has a period of 1.2 s, the fluid of 2.4 s | it does, with periods near those; exponential decay |
| halving the step lets Mueller's fluid be far stiffer | stiffer, not far: particles start SCP h apart, 1.2 times too dense, and above k = 400 the pillar erupts |
| Clavet's method compresses most, less with squared kernels; the density grows with depth | so it does |
| Clavet's pillar boils at the floor and never rests | ours rests at a small energy: displacements of a pair are summed from both sides and averaged over two passes, where the original moves particles while it loops |
| Bodin's density stays nearly constant; least compression near SCP 0.65 | so it does |
| Bodin's pillar of 2000 vibrates at the walls and never rests, that of 1000 does | so they do |

Walls differ: the thesis projects particles out of shapes, which bends its densities at the floor;
here walls are sampled and part of the density. With SCP 1 the kernel is as wide as the particles are
apart, a sampled wall is felt only where it is touched, and densities there err. Times are of one
thread, the thesis's in brackets, from 2011.
"""


def spacing(method, scp):
    """Particles start SCP h apart (sec. 6.3)."""
    if method == "clavet":
        return 0.13
    return scp * math.sqrt(4 * MASS / (math.pi * scp * DENSITY))  # eq. 3.42


def geometry(method, scp, particles, width, tank=1.0):
    d = spacing(method, scp)
    columns = int(width / d)
    rows = round(particles / columns)
    box = [columns * d, rows * d]
    return {"/objects/0/spacing": d, "/objects/0/fill/box/max": box,
            "/objects/1/shape/box/max": [tank * box[0], 3 * box[1]]}


def run(name, method, values, seconds, step=1 / 120, threads=2):
    """Returns the folder, or nothing where the run went wrong: some stiffnesses are too much."""
    folder = RUNS / name
    per_frame = round(0.5 / step)
    values = values | {"/time/dt": step, "/time/steps_per_frame": per_frame,
                       "/time/frames": round(seconds / 0.5)}
    sets = [f"--set={k}={json.dumps(v)}" for k, v in values.items()]
    begun = time.monotonic()
    done = subprocess.run([PROGRAM, "run", ROOT / f"configs/umea_2011/pillar_{method}.json", "-o",
                           folder, "--overwrite", "--quiet", f"--threads={threads}", *sets],
                          stderr=subprocess.PIPE, text=True)
    folder.joinpath("seconds").write_text(str(time.monotonic() - begun))
    if done.returncode not in (0, 4):
        sys.exit(f"{name}: {done.stderr}")
    return folder if done.returncode == 0 else None


def series(folder, quantity):
    with open(folder / "series.csv") as file:
        rows = list(csv.reader(file))
    at = [i for i, head in enumerate(rows[0]) if head.split(" ")[0].endswith(quantity)][0]
    when = [i for i, head in enumerate(rows[0]) if head.split(" ")[0] == "time"][0]
    table = numpy.array([[float(r[when]), float(r[at])] for r in rows[1:]])
    return table[:, 0], table[:, 1]


def profile(folder, bins=12):
    """Mean density by depth over the last ten frames; Clavet's is moved up to 100 at its least, as
    the thesis does (sec. 6.2.2)."""
    depth, density = [], []
    for file in sorted((folder / "cache/water").glob("*.hdf"))[-10:]:
        with h5py.File(file) as frame:
            x = frame["VTKHDF/Points"][:, 1]
            depth.append(numpy.sort(x)[-20:].mean() - x)
            density.append(frame["VTKHDF/PointData/density"][:])
    depth, density = numpy.concatenate(depth), numpy.concatenate(density)
    edges = numpy.linspace(0, depth.max(), bins + 1)
    middle = 0.5 * (edges[1:] + edges[:-1])
    inside = [(depth >= a) & (depth <= b) for a, b in zip(edges[:-1], edges[1:])]
    middle = middle[[rows.any() for rows in inside]]
    mean = numpy.array([density[rows].mean() for rows in inside if rows.any()])
    if "clavet" in folder.name:
        mean += 100 - mean.min()
    return middle, mean


def calms_down(folder):
    when, energy = series(folder, "kinetic_energy")
    most = 0.1 if when[-1] > 10 else 0.5
    return energy[when > 0.8 * when[-1]].mean() < most * energy[when < 0.2 * when[-1]].max()


def stiffest(name, scp, seconds, **options):
    """The highest speed of sound with which the pillar calms down (sec. 6.2.1)."""
    for stiffness in [1600, 1200, 800, 600, 400, 300, 250, 200, 170, 140, 120, 100, 80, 60, 40]:
        values = geometry("mueller", scp, options.get("particles", 1000), options.get("width", 3))
        values |= {"/stages/0/self_contribution": scp, "/stages/0/stiffness": stiffness}
        folder = run(name, "mueller", values, seconds, options.get("step", 1 / 120))
        if folder and calms_down(folder):
            return folder, stiffness
    return None, None


def density_figure(notes):
    figure, axes = pyplot.subplots(2, 3, figsize=(13, 8))
    for scp in [1.0, 0.85, 0.75, 0.65, 0.55]:
        folder, k = stiffest(f"mueller_scp{scp}", scp, 30)
        if folder:
            axes[0][0].plot(*profile(folder), label=f"SCP {scp}, k = {k}")
        values = geometry("bodin", scp, 1000, 3) | {"/stages/0/self_contribution": scp}
        axes[0][2].plot(*profile(run(f"bodin_scp{scp}", "bodin", values, 30)), label=f"SCP {scp}")
        notes.setdefault("neighbours", []).append(
            (scp, f"{series(folder, 'max_neighbours')[1][-1]:.0f}" if folder else "no k is calm",
             series(RUNS / f"bodin_scp{scp}", "max_neighbours")[1][-1]))
    for kernels, k_near in [("normal", 0.01), ("hybrid", 0.05), ("squared", 0.05)]:
        values = geometry("clavet", 1, 1000, 3) | {"/stages/0/kernels": kernels,
                                                   "/stages/0/k_near": k_near}
        folder = run(f"clavet_{kernels}", "clavet", values, 30)
        if folder:
            axes[0][1].plot(*profile(folder), label=f"{kernels}, k_near {k_near}")
    for steps, style in [(120, "-"), (240, "--"), (360, ":")]:
        step = 1 / steps
        for column, method in enumerate(METHODS):
            if method == "mueller":
                folder, k = stiffest(f"mueller_dt{steps}", 0.65, 30, step=step)
                notes.setdefault("stiffness", []).append((steps, k))
            else:
                values = geometry(method, 0.65, 1000, 3)
                folder = run(f"{method}_dt{steps}", method, values, 30, step)
            if folder:
                axes[1][column].plot(*profile(folder), style, label=f"1/{steps} s")
    for row, title in enumerate(["", ", smaller steps"]):
        for column, method in enumerate(METHODS):
            axes[row][column].set(title=method + title, xlabel="depth [m]", ylabel="density [kg/m^2]")
            axes[row][column].legend()
    figure.tight_layout()
    figure.savefig(DOCS / "umea_2011_density.png", dpi=70)


def period(when, energy):
    """Of kinetic energy, from its spectrum between 2 and 26 s."""
    inside = (when > 2) & (when < 26)
    t, e = when[inside], energy[inside]
    e = e - numpy.poly1d(numpy.polyfit(t, e, 3))(t)
    spectrum = numpy.abs(numpy.fft.rfft(e * numpy.hanning(len(e)), 8 * len(e)))
    frequency = numpy.fft.rfftfreq(8 * len(e), t[1] - t[0])
    spectrum[frequency < 0.2] = 0
    return 1 / frequency[spectrum.argmax()]


def energy_figure(notes):
    figure, axes = pyplot.subplots(3, 2, figsize=(12, 10))
    for row, method in enumerate(METHODS):
        for column, (particles, seconds) in enumerate([(2000, 90), (1000, 6)]):
            name = f"{method}_energy{particles}"
            if method == "mueller":
                folder, k = stiffest(name, 0.65, seconds, particles=particles, width=4)
            else:
                folder = run(name, method, geometry(method, 0.65, particles, 4), seconds)
            when, energy = series(folder, "kinetic_energy")
            axes[row][column].plot(when, energy, linewidth=0.6)
            axes[row][column].set(title=f"{method}, {particles} particles", xlabel="time [s]",
                                  ylabel="kinetic energy [J]", yscale="log")
            if particles == 2000:
                notes[f"rest {method}"] = energy[when > 80].mean() / energy[when < 5].max()
                notes[f"period {method}"] = period(when, energy)
    figure.tight_layout()
    figure.savefig(DOCS / "umea_2011_energy.png", dpi=70)


def milliseconds(method, case, particles, values):
    scene = geometry(method, 0.65, particles, 3, tank=1 if case == "pillar" else 3) | values
    scene |= {"/series_every": 100000, "/output": []}
    steps = 2400
    folder = run(f"{method}_{case}{particles}", method, scene, steps / 120, threads=1)
    if not folder:
        return math.nan
    return 1000 * float(folder.joinpath("seconds").read_text()) / steps


def tables(out):
    for case in ["dam", "pillar"]:
        out.append(f"\n## Milliseconds an update, {'dam break' if case == 'dam' else 'pillar'}\n\n"
                   "| method | 500 | 1000 | 1500 | 2000 |\n|---|---|---|---|---|\n")
        for label, method, values in [("mueller", "mueller", {"/stages/0/stiffness": 120}),
                                      ("clavet", "clavet", {}), ("bodin", "bodin", {}),
                                      ("bodin, 10 sweeps", "bodin", {"/stages/0/max_iterations": 10})]:
            ours = [milliseconds(method, case, n, values) for n in [500, 1000, 1500, 2000]]
            cells = [f"{mine:.2f} ({theirs})" for mine, theirs in zip(ours, THESIS[case][label])]
            out.append(f"| {label} | " + " | ".join(cells) + " |\n")


def main():
    notes, out = {}, []
    density_figure(notes)
    energy_figure(notes)
    out.append(HEAD)
    out.append("\n![Density by depth](umea_2011_density.png)\n\n"
               "| SCP | most neighbours, mueller | bodin |\n|---|---|---|\n")
    out += [f"| {scp} | {m} | {b:.0f} |\n" for scp, m, b in notes["neighbours"]]
    out.append("\nHighest stiffness k with which the pillar calms down at SCP 0.65: " +
               ", ".join(f"{k} at 1/{s} s" for s, k in notes["stiffness"]) + " (m/s)^2.\n")
    out.append("\n![Kinetic energy](umea_2011_energy.png)\n\n"
               "| method | period of kinetic energy [s] | kinetic energy after 80 s over its greatest |\n"
               "|---|---|---|\n")
    out += [f"| {m} | {notes[f'period {m}']:.2f} | {notes[f'rest {m}']:.2g} |\n" for m in METHODS]
    tables(out)
    (DOCS / "umea_2011.md").write_text("".join(out))


main()
