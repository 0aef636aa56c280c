"""Builds as setuptools does, but on a copy: setuptools writes beside the sources, and an installed tree may be
another user's, or read-only."""
import os
import shutil
import tempfile

from setuptools import build_meta


def on_a_copy(build, target, *args):
    target, here = os.path.abspath(target), os.getcwd()
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(here, copy, dirs_exist_ok=True, copy_function=shutil.copyfile)
        for folder, _, _ in os.walk(copy):
            os.chmod(folder, 0o700)  # copied with the rest
        os.chdir(copy)
        try:
            return build(target, *args)
        finally:
            os.chdir(here)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return on_a_copy(build_meta.build_wheel, wheel_directory, config_settings)


def build_sdist(sdist_directory, config_settings=None):
    return on_a_copy(build_meta.build_sdist, sdist_directory, config_settings)


build_editable = build_meta.build_editable  # of a tree that one may write
