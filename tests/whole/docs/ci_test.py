#!/usr/bin/env python3
"""docs/ci.md and .github/workflows/fuzz.yml start green: what they run is run here.

usage: ci_test.py PROJECT BUILD

ksim is installed, a user's repository has the files that docs/ci.md shows, and each command of its
blocks runs there, with fewer seeds: 60 find what is not repaired. The workflow of the project runs
in a folder that has its scenarios.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROJECT, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:])
SHARDS = "1234"
FEWER = [(r"--seeds 1\.\.\d+", "--seeds 1..60"), (r"--time \S+", "--time 5m")]


def blocks(page, language):
    """[(the file's name in the comment before it, or none, the text)]"""
    return re.findall(r"(?:<!-- (\S+) -->\n)?```%s\n(.*?)```" % language, page, re.S)


def commands(workflow):
    """The values of `run:`, of one line or a block (> or |)."""
    lines = workflow.split("\n")
    for i, line in enumerate(lines):
        found = re.match(r"( *)(?:- )?run: (.*)", line)
        if not found:
            continue
        if found[2] not in (">", "|"):
            yield found[2]
            continue
        more = []
        for text in lines[i + 1:]:
            if text.strip() and not text.startswith(found[1] + "  "):
                break
            more.append(text)
        yield ("\n" if found[2] == "|" else " ").join(t.strip() for t in more)


def run(command, directory, **environment):
    for pattern, fewer in FEWER:
        command = re.sub(pattern, fewer, command)
    ended = subprocess.run(["bash", "-e", "-c", command], cwd=directory, text=True,
                           env={**os.environ, **environment}, capture_output=True)
    if ended.returncode:
        sys.exit(f"{command}\nended with {ended.returncode}\n{ended.stdout}{ended.stderr}")


def run_workflow(workflow, directory, replacements, **environment):
    """Each shard's job in its folder, then the merge among what the shards uploaded."""
    def said(command, shard=""):
        for text, other in replacements.items():
            command = command.replace(text, other)
        return command.replace("${{ matrix.shard }}", shard)

    fuzz, merge = workflow.split("\n  merge:\n")
    merge_directory = directory / "merge"
    for shard in SHARDS:
        job = directory / f"job-{shard}"
        prepare(job)
        for command in commands(fuzz):
            run(said(command, shard), job, **environment)
        # actions/upload-artifact keeps the folder's name only among others.
        kept = merge_directory / f"shard-{shard}"
        kept.mkdir(parents=True)
        for path in (job / "found").iterdir() if "*.xml" not in fuzz else [job / "found"]:
            path.rename(kept / path.name)
    prepare(merge_directory)
    for command in commands(merge):
        run(said(command), merge_directory, **environment)


def prepare(directory):
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if not (directory / "scenarios").exists():
        (directory / "scenarios").symlink_to(PROJECT / "scenarios")


PAGE = (PROJECT / "docs/ci.md").read_text()
FILES = {name: text for name, text in blocks(PAGE, "yaml") if name and name.startswith("ksim/")}
WORKFLOW = dict(blocks(PAGE, "yaml"))[".github/workflows/ksim.yml"]
JOB = next(text for name, text in blocks(PAGE, "yaml") if "kind: Job" in text)
SLURM = next(text for _, text in blocks(PAGE, "sh"))


def main():
    with tempfile.TemporaryDirectory(prefix="ksim-ci-") as name:
        directory = pathlib.Path(name)
        prefix = directory / "prefix"
        install = f'cmake --install {BUILD} --prefix {prefix}'
        path = f"{prefix}/bin:{os.environ['PATH']}"
        run(install, directory)

        run_workflow(WORKFLOW, directory / "user", {'.ksim/tools/install "$HOME/.local"': "true"},
                     PATH=path)

        cluster = directory / "cluster"
        prepare(cluster)
        args = JOB[JOB.index("args:"):JOB.index("volumeMounts:")].split(">", 1)[1]
        args = " ".join(args.split()).replace("/scenarios/", "ksim/").replace("/found/", "found/")
        for index in ("0", "1"):
            run(args, cluster, PATH=path, JOB_COMPLETION_INDEX=index)
        run("ksim fuzz merge found/* --out found/all", cluster, PATH=path)

        run(SLURM, cluster, PATH=path, SLURM_ARRAY_TASK_ID="3", SLURM_CPUS_PER_TASK="2")

        workflow = (PROJECT / ".github/workflows/fuzz.yml").read_text()
        run_workflow(workflow, directory / "own", {"tools/ksim": f"{prefix}/bin/ksim"},
                     SEEDS="1..60")


if __name__ == "__main__":
    main()
