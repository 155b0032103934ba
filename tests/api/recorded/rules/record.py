#!/usr/bin/env python3
"""Records what Kubernetes' code says of rules in CEL: record.py VERSION...

Needs Go and the module proxy. For each version (1.25, 1.30, 1.36) it builds main.go with that
version's modules, judges the cases of ../rules-1.36.jsonl and writes ../rules-VERSION.jsonl. A new
case is a new line there: `schema` is the definition's, `oldSchema` that of its old state, `now` an
object, `old` its old state.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODULES = {"1.25": ("v0.25.16", "1.19"), "1.30": ("v0.30.14", "1.22"), "1.36": ("v0.36.3", "1.26")}


ANSWERS = ("crd", "object", "warnings")


def read_cases():
    with open(HERE.parent / "rules-1.36.jsonl", encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    return [{key: case[key] for key in case if key not in ANSWERS} for case in cases]


def build(version, folder):
    module, go = MODULES[version]
    needs = "".join(f"\tk8s.io/{name} {module}\n"
                    for name in ("apiextensions-apiserver", "apimachinery", "apiserver"))
    (folder / "go.mod").write_text(f"module rules\n\ngo {go}\n\nrequire (\n{needs})\n")
    for source in HERE.glob("*.go"):
        shutil.copy(source, folder)
    tags = ["-tags", "k8s125"] if version == "1.25" else []
    subprocess.run(["go", "get", *tags, "."], cwd=folder, check=True)
    subprocess.run(["go", "build", *tags, "-o", "rules", "."], cwd=folder, check=True)
    return folder / "rules"


def record(version, cases):
    with tempfile.TemporaryDirectory() as temporary:
        program = build(version, pathlib.Path(temporary))
        lines = "".join(json.dumps(case) + "\n" for case in cases)
        said = subprocess.run([program], input=lines, text=True, capture_output=True, check=True)
    with open(HERE.parent / f"rules-{version}.jsonl", "w", encoding="utf-8") as file:
        for case, line in zip(cases, said.stdout.splitlines(), strict=True):
            file.write(json.dumps({**case, **json.loads(line)}, ensure_ascii=False) + "\n")


ALL = read_cases()
for wanted in sys.argv[1:] or MODULES:
    record(wanted, ALL)
