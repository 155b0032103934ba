#!/usr/bin/env python3
"""Checks the scripts of the report: that node parses them, and that no text of a trace can become
markup or code.

usage: lint_js.py [FILE...]     (default: every .js file in src/)

Refused are innerHTML and its kin (whatever comes from a trace reaches the page as text nodes only),
eval, var, == and != (=== and !== compare without conversion), lines of more than 100 columns, and
trailing blanks. Without node the first check is left out, and said. Exit code 1, and one line
each, if anything is not so.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
REFUSED = [
    (re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b"),
     "makes markup of text: add text nodes"),
    (re.compile(r"\b(eval|Function)\s*\("), "makes code of text"),
    (re.compile(r"\bvar\s"), "var: write const or let"),
    (re.compile(r"[^=!]==[^=]|!=[^=]"), "compares with conversion: write === or !=="),
    (re.compile(r"\s$"), "blanks at the end of the line"),
    (re.compile(r"^.{101}"), "longer than 100 columns"),
]
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|//.*$')  # strings and comments, which the rules pass over


def problems(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        code = TEXT.sub(lambda m: " " if m.group().startswith("//") else '""', line).rstrip(" ")
        for rule, message in REFUSED:
            subject = line if "columns" in message or "blanks" in message else code
            if rule.search(subject):
                yield f"{path}:{number}: {message}"


def parse_problem(path):
    done = subprocess.run(["node", "--check", str(path)], capture_output=True, text=True,
                          check=False)
    return done.stderr.strip() if done.returncode else ""


def main():
    if sys.argv[1:] and sys.argv[1].startswith("-"):
        print(__doc__.strip())
        return 0 if sys.argv[1] in ("-h", "--help") else 2
    files = [pathlib.Path(f) for f in sys.argv[1:]] or sorted((ROOT / "src").rglob("*.js"))
    found = []
    for path in files:
        found += problems(path, path.read_text(encoding="utf-8"))
        if shutil.which("node"):
            found += [p for p in [parse_problem(path)] if p]
    if not shutil.which("node"):
        print("lint_js: no node here: nobody has parsed the scripts", file=sys.stderr)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
