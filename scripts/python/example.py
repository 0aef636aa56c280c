# %% [markdown]
# # A dam break, looked at
# Cells as in a notebook: run them one by one in an editor that knows `# %%`, or the whole file as
# `python3 scripts/python/example.py RUN`. Needs what `pip install 'scripts/python[example]'` brings.

# %% Open a run, say of `rtsim run configs/wcsph/dam_break_2d.json`
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rtsim

run = rtsim.open(sys.argv[1] if len(sys.argv) > 1 else "runs/wcsph-dam_break_2d")
print(run, run.manifest["status"])

# %% Its log: energies over time
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
for name, energy in run.series.match("total.*_energy").items():
    left.plot(run.series.time, energy, label=name)
left.set(xlabel="time [s]", ylabel=f"energy [{run.series.units[name]}]")
left.legend()

# %% Its last frame: particles coloured by speed
water = run.frames[-1]["water"]
speed = np.linalg.norm(water["velocity"], axis=1)
picture = right.scatter(*water.position.T[:2], c=speed, s=2)
right.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title=f"t = {water.time:.3g} s")
figure.colorbar(picture, label=f"speed [{water.units['velocity']}]")
figure.savefig("dam_break.png", dpi=120)

# %% One particle through all frames: rows change places, ids do not
times, ids, x = run.tracks("water")
print(f"particle {ids[0]} went from {x[0, 0]} to {x[-1, 0]} in {times[-1]:.3g} s")
