"""The program, driven from Python."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .run_folder import Run


class RtsimError(RuntimeError):
    """What the program said when it failed. `exit_code` is 3 where the scene is wrong, 4 where the run
    diverged, 75 where it was interrupted after a checkpoint; `rtsim man` lists them all."""

    def __init__(self, exit_code, text):
        super().__init__(text or f"rtsim ended with exit code {exit_code}")
        self.exit_code = exit_code


def find_program():
    """$RTSIM, or that which was installed with this package, or `rtsim` on the path."""
    beside = pathlib.Path(sys.prefix) / "bin/rtsim"
    program = os.environ.get("RTSIM") or (str(beside) if beside.exists() else shutil.which("rtsim"))
    if not program:
        raise FileNotFoundError("no program rtsim on the path; name it in the variable RTSIM")
    return program


def _scene_file(scene, folder):
    """A dictionary becomes a file in the folder from where the files that it names are looked for."""
    if not isinstance(scene, dict):
        return pathlib.Path(scene), None
    handle, name = tempfile.mkstemp(suffix=".json", prefix=".rtsim-", dir=folder)
    with os.fdopen(handle, "w") as file:
        json.dump(scene, file)
    return pathlib.Path(name), pathlib.Path(name)


def _follow(process, folder, progress):
    """Tells each frame once, until the program ends."""
    told = 0
    while True:
        ended = process.poll() is not None
        if progress and (folder / "frames.jsonl").exists():
            for frame in Run(folder).frames[told:]:
                progress(frame)
                told += 1
        if ended:
            return
        time.sleep(0.05)


def run(scene, folder=None, *, set=None, threads=None, device=None, resume=False, overwrite=False, progress=None,
        files_from=".", program=None):
    """Simulates a scene, a dictionary or a file, and returns its `Run`.

    folder      where the run goes; unless given a new one among the temporary files
    set         {"/json/pointer": value}, put into the scene
    progress    called with each `Frame` as it is there, in order
    files_from  of a dictionary: where the files that it names are looked for

    Raises RtsimError with the program's own words. Ctrl-C lets it write a checkpoint first; run again
    with resume=True to go on."""
    command = [program or find_program(), "run"]
    file, temporary = _scene_file(scene, files_from)
    folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="rtsim-"))
    command += [str(file), "-o", str(folder), "--quiet"]
    for pointer, value in (set or {}).items():
        command += ["--set", f"{pointer}={json.dumps(value)}"]
    for name, value in (("--threads", threads), ("--device", device)):
        command += [name, str(value)] if value is not None else []
    command += ["--resume=auto"] if resume else []
    command += ["--overwrite"] if overwrite else []
    try:
        with tempfile.TemporaryFile("w+") as said:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
            try:
                _follow(process, folder, progress)
            except BaseException:
                process.send_signal(signal.SIGINT)
                process.wait()
                raise
            said.seek(0)
            if process.returncode != 0:
                raise RtsimError(process.returncode, _own_words(said.read(), temporary))
    finally:
        if temporary:
            temporary.unlink()
    return Run(folder)


def _own_words(text, temporary):
    """Without the name of a file that the caller never saw."""
    text = text.strip()
    return text.replace(str(temporary), "scene") if temporary else text
