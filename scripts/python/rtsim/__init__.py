"""Runs of rtsim as NumPy arrays.

    import rtsim
    run = rtsim.open("runs/dam_break")
    run.series["wcsph.water.kinetic_energy"]     # an array, beside run.series.time
    water = run.frames[-1]["water"]
    water.position, water["velocity"]            # arrays, a row for each particle
    water.units["velocity"]                      # "m/s"

A run may still be running: what is there has been committed, and `rtsim.open` reads it again.

    run = rtsim.run(scene, progress=print)       # a dictionary or a file: starts the program
"""
from .frames import Frame, FrameObject
from .program import RtsimError, run
from .run_folder import Run, open
from .series import Series, read_series

__all__ = ["Frame", "FrameObject", "RtsimError", "Run", "Series", "open", "read_series", "run"]
