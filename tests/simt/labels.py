"""Labels of launches that stand in the source, without those of loops that a device never runs."""
import pathlib
import re

# Loops with a body shaped for the CPU: what the device runs in their place has a launch of its own.
CPU_LOOPS = {"parallel_chunks"}
CALL = re.compile(r'([a-z_]+)(?:<\w+>)?\((?:[a-z_]\.|world\.)?(?:ex|exec)_?,\s*"([^"]+)"')
DOTTED = re.compile(r'"([a-z_0-9]+(?:\.[a-z_0-9 ]+)+)"')


def in_source(root):
    """{label: [file, ...]}"""
    found, only_cpu = {}, {}
    files = [f for folder in ("kernels", "lib") for f in sorted((root / folder).rglob("*"))
             if f.suffix in (".cu", ".h", ".cpp") and "simt" not in f.relative_to(root).parts]
    for file in files:
        text = file.read_text()
        called = {}
        for m in CALL.finditer(text):
            called.setdefault(m[2], set()).add(m[1])
        labels = set(called)
        if file.is_relative_to(root / "kernels") and file.suffix != ".cpp":
            labels |= set(DOTTED.findall(text))  # chosen before the call, or passed on
        for label in labels:
            functions = called.get(label, set())
            host = bool(functions) and functions <= CPU_LOOPS
            (only_cpu if host else found).setdefault(label, []).append(str(file.relative_to(root)))
    return found


if __name__ == "__main__":
    for name, places in sorted(in_source(pathlib.Path(__file__).resolve().parents[2]).items()):
        print(name, *places)
