#!/usr/bin/env python3
"""A program with controllers of its own finds its wrong controller, shrinks and replays.

usage: programs_test.py RECEIPTS KSIM WORK

RECEIPTS is tests/whole/programs/main.cc, KSIM the program ksim, WORK a directory to be made anew.
"""
import json
import pathlib
import shutil
import subprocess
import sys

RECEIPTS, KSIM, WORK = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def run(code, *command):
    ended = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if ended.returncode != code:
        sys.exit(f"{command}\nended with {ended.returncode}, not {code}\n"
                 f"{ended.stdout}{ended.stderr}")
    return ended.stdout + ended.stderr


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"there is no {part!r} in\n{text}")


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    seeds = ["--seeds", "1..60", "--jobs", "2"]

    # The right controller is silent, the wrong one is found, by workers that know it too.
    run(0, RECEIPTS, "fuzz", "right", *seeds, "--out", WORK / "right")
    said = run(1, RECEIPTS, "fuzz", "wrong", *seeds, "--out", WORK / "found")
    expect(said, f"{RECEIPTS} run {WORK}/found/")

    # The failure names the program, shows the bug alone, and repeats.
    found, = (d for d in (WORK / "found").iterdir() if d.is_dir())
    expect((found / "README.md").read_text(), "receipts run scenario.yaml")
    expect((found / "scenario.yaml").read_text(), "in receipts;", "wrong-receipts")
    header = json.loads((found / "trace.jsonl").read_text().split("\n")[0])
    if header["program"]["name"] != "receipts" or len(header["program"]["registry"]) != 32:
        sys.exit(f"the header has {header.get('program')}")
    run(1, RECEIPTS, "run", found / "scenario.yaml")
    expect(run(0, RECEIPTS, "replay", found / "trace.jsonl"), "same as recorded")
    run(0, RECEIPTS, "shrink", found, "--out", WORK / "small")
    expect(run(0, RECEIPTS, "replay", WORK / "small/trace.jsonl"), "same as recorded")

    # Another program looks at the trace, and refuses to run it.
    trace = found / "trace.jsonl"
    expect(run(0, KSIM, "get", trace, "configmaps", "-A"), "a-")
    run(0, KSIM, "diff", trace, trace)
    run(1, KSIM, "check", trace)
    for command in (["replay", trace], ["shrink", found, "--out", WORK / "no"]):
        expect(run(2, KSIM, *command), "the program receipts made this trace",
               "run receipts in place of ksim")
    expect(run(2, KSIM, "run", found / "scenario.yaml"), 'unknown controller "wrong-receipts"')
    return 0


if __name__ == "__main__":
    sys.exit(main())
