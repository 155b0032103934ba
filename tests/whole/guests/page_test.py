#!/usr/bin/env python3
"""The commands of docs/go-controllers.md do what the page says, from an empty folder on.

usage: page_test.py PROJECT KSIM

A block that names a file is that file of the project; each `$ ` line is run in the project's
folder, with KSIM as `ksim`. Of what the page shows, these lines must be printed: the verdicts
(`ok:`, `violation:` and `failure:`), without seeds' figures, which change with ksim's version, and
the number of distinct failures. Takes kubebuilder, or downloads it; exit code 77 with the reason
where something is not there.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
KUBEBUILDER = "sigs.k8s.io/kubebuilder/v4@v4.16.0"


def steps(page):
    """[("file", name, text) or ("run", command, [lines])], in their order."""
    found = []
    pattern = r"(?:<!-- (\S+) -->\n)?```(\w+)\n(.*?)```"
    for name, _, text in re.findall(pattern, page, re.S):
        if name:
            found.append(("file", name, text))
            continue
        for line in text.splitlines():
            if line.startswith("$ "):
                found.append(("run", line[2:], []))
            elif found and found[-1][0] == "run":
                found[-1][2].append(line)
    return found


def expected_code(lines):
    """Of a command whose output is shown."""
    said = [line.split(":")[0] for line in lines]
    return 1 if "violation" in said or "failure" in said else 0


def facts(lines):
    """What does not change with seeds and versions."""
    found = []
    for line in lines:
        if line.startswith(("violation: expect", "failure: ")):
            found.append(line)
        if line.startswith("ok: "):
            found.append("ok")
        distinct = re.search(r": (\d+ runs, \d+ distinct failures),", line)
        if distinct:
            found.append(distinct.group(1))
    return found


def skip(reason):
    print(f"skipped: {reason}")
    return SKIPPED


def tools(folder, ksim):
    """A folder for PATH with ksim and kubebuilder; or the reason why there is none."""
    folder.mkdir()
    (folder / "ksim").symlink_to(ksim)
    if shutil.which("go") is None:
        return "Go is not there"
    if shutil.which("kubebuilder") is None:
        done = subprocess.run(["go", "install", KUBEBUILDER], capture_output=True, text=True,
                              env={**os.environ, "GOBIN": str(folder)})
        if done.returncode:
            return f"{KUBEBUILDER} cannot be installed: {done.stderr.splitlines()[-1:]}"
    return None


def main():
    project, ksim = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        reason = tools(root / "bin", ksim)
        if reason:
            return skip(reason)
        folder = root / "project"
        folder.mkdir()
        environment = {**os.environ, "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}
        subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
        for kind, what, content in steps((project / "docs/go-controllers.md").read_text()):
            if kind == "file":
                (folder / what).parent.mkdir(parents=True, exist_ok=True)
                (folder / what).write_text(content)
                continue
            done = subprocess.run(["bash", "-c", what], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if "tools/setup --guests" in done.stdout:
                return skip(done.stdout.strip())
            print(f"$ {what}: {done.returncode}")
            wanted = facts(content)
            missing = [fact for fact in wanted if fact not in facts(done.stdout.splitlines())]
            if done.returncode != expected_code(content) or missing:
                bad = 1
                print(f"exit code {done.returncode}; not printed: {missing}; printed:")
                print(done.stdout)
                if "go: " in done.stdout and "dial tcp" in done.stdout:
                    return skip("modules cannot be downloaded")
    return bad


if __name__ == "__main__":
    sys.exit(main())
