#!/usr/bin/env python3
"""The commands shown in README.md print what it says.

usage: readme_test.py PROJECT KSIM

In a console block, a line `$ tools/ksim ARGS` is run with KSIM in an empty directory that has the
project's scenarios; the lines after it must be its output, where a line `...` stands for any
number of lines.
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def commands(text):
    """[(arguments, expected lines)] of the console blocks."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for line in block.splitlines():
            if line.startswith("$ tools/ksim "):
                found.append((shlex.split(line)[2:], []))
            else:
                found[-1][1].append(line)
    return found


def matches(expected, actual):
    """Whether the lines agree; the lines between two `...` stand together in the output."""
    pieces = [[]]
    for line in expected:
        if line.strip() == "...":
            pieces.append([])
        else:
            pieces[-1].append(line)
    at = 0
    for i, piece in enumerate(pieces):
        last = len(actual) - len(piece)
        starts = [at] if i == 0 else range(at, last + 1)
        at = next((s + len(piece) for s in starts if actual[s:s + len(piece)] == piece), -1)
        if at < 0:
            return "\n".join(piece)
    return None if at == len(actual) or not pieces[-1] else "the end"


def main():
    project, ksim = pathlib.Path(sys.argv[1]), sys.argv[2]
    shown = commands((project / "README.md").read_text())
    if not shown:
        print("README.md shows no command")
        return 1
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "scenarios").symlink_to(project / "scenarios")
        for arguments, expected in shown:
            run = subprocess.run([ksim, *arguments], cwd=folder, capture_output=True, text=True)
            missing = matches(expected, run.stdout.splitlines()) if expected else None
            if run.returncode or missing:
                bad = 1
                print(f"ksim {shlex.join(arguments)}: exit code {run.returncode}, not printed:")
                print(missing or run.stderr)
    return bad


if __name__ == "__main__":
    sys.exit(main())
