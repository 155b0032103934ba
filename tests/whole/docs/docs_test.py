#!/usr/bin/env python3
"""What docs/writing-a-controller.md shows stands in docs/examples/website, and runs.

usage: docs_test.py PROJECT WEBSITE_PROGRAM

Each C++ block is preceded by the name of the file that it is an excerpt of, line for line, and so
are the blocks of YAML that have a name; the program that they make ends well.
"""
import pathlib
import re
import subprocess
import sys


def main():
    project, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    page = (project / "docs/writing-a-controller.md").read_text()
    bad = 0
    blocks = re.findall(r"<!-- (\S+) -->\n```(?:cpp|yaml)\n(.*?)```", page, re.S)
    if sum(not name.endswith(".yaml") for name, _ in blocks) != page.count("```cpp"):
        print("a C++ block does not say which file it is from")
        bad = 1
    for name, text in blocks:
        if text not in (project / "docs/examples/website" / name).read_text():
            print(f"not in {name}, line for line:\n{text}")
            bad = 1
    for command in (["run", "shop"], ["run", "shop", "--seed", "7"], ["help"]):
        run = subprocess.run([program, *command], capture_output=True, text=True)
        if run.returncode:
            print(f"{command} exits {run.returncode} and prints:\n{run.stdout}{run.stderr}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
