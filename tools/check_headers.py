#!/usr/bin/env python3
"""Compiles each header alone: it must include what it needs.

usage: check_headers.py COMPILER [FLAG...]

A header that a source file of the same name includes first has been shown to stand alone by that
file's own compilation, and is not compiled again here. Public headers are compiled with include/ as
the only folder of ours, as those who installed ksim have it.
Exit code 1 if one does not compile.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def first_include(source):
    text = source.read_text(encoding="utf-8")
    match = re.search(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.M)
    return match.group(1) if match else None


def compile_alone(command, header, top):
    """What the compiler has to say about it, or nothing."""
    name = header.relative_to(ROOT / top).as_posix()
    includes = [f"-I{ROOT / 'include'}"] + ([f"-I{ROOT / 'src'}"] if top == "src" else [])
    run = subprocess.run(
        [*command, "-std=c++20", "-Wall", "-Wextra", "-Werror", *includes, "-fsyntax-only",
         "-x", "c++", "-"],
        input=f'#include "{name}"\n#include "{name}"\n',
        capture_output=True, text=True, check=False)
    return run.stderr if run.returncode else ""


def main(command):
    if not command:
        print(__doc__)
        return 2
    todo = []
    for top in ("include", "src"):
        for header in sorted((ROOT / top / "ksim").rglob("*.h")):
            name = header.relative_to(ROOT / top)
            source = (ROOT / "src" / name).with_suffix(".cc")
            # With src/ in reach a public header may lean on it unnoticed: always compile those.
            if top == "include" or not source.exists() or first_include(source) != name.as_posix():
                todo.append((header, top))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (header, _), complaint in zip(todo, pool.map(
                lambda item: compile_alone(command, *item), todo)):
            if complaint:
                print(f"{header.relative_to(ROOT)} does not stand alone:\n{complaint}")
                failed += 1
    print(f"{len(todo)} headers compiled, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
