"""Opens a run, or a conversion of one, in ParaView with its true times.

    pvpython scripts/paraview_open.py RUN [-o STATE.pvsm]
    paraview --script=scripts/paraview_open.py        (with RTSIM_RUN=RUN in the environment)

Each object becomes a source named after it. Frames stand at their times in seconds: they come from
the .series files that lie in RUN/cache, so nothing is guessed from the numbers of the files.
"""
import argparse
import os
import pathlib


def series_files(folder):
    """The lists of frames and times of a run (.hdf.series) or a conversion (.vtk.series and so on)."""
    files = sorted((pathlib.Path(folder) / "cache").glob("*.series"))
    known = [f for f in files if f.suffixes[-2] in (".hdf", ".vtk", ".ply", ".stl", ".obj", ".csv")]
    if not known:
        raise SystemExit(f"{folder}: no cache/*.series that ParaView reads: not a run with HDF5 frames, nor a "
                         "conversion to vtk, points, ply, stl, obj or csv")
    return known


def open_run(folder):
    files = series_files(folder)
    from paraview import simple

    sources = []
    for file in files:
        source = simple.OpenDataFile(str(file.resolve()))
        simple.RenameSource(file.name.split(".")[0], source)
        simple.Show(source)
        sources.append(source)
    scene = simple.GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.GoToLast()  # colours span what is there at the end, not the rest it began from
    simple.ResetCamera()
    simple.Render()
    return sources


if __name__ in ("__main__", "__vtkconsole__"):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", default=os.environ.get("RTSIM_RUN"), help="folder of a run or conversion")
    parser.add_argument("-o", "--state", help="save as a ParaView state file")
    arguments = parser.parse_args()
    if not arguments.run:
        parser.error("which RUN?")
    open_run(arguments.run)
    if arguments.state:
        from paraview import simple

        simple.SaveState(arguments.state)
