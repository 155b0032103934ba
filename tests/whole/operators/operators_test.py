#!/usr/bin/env python3
"""Gives definitions of operators and samples of their kinds to ksim, as a user does.

usage: operators_test.py KSIM FOLDER [--show] [NAME...]
       operators_test.py KSIM FOLDER/modules --modules [NAME...]

FOLDER has, of each NAME, the definitions NAME.yaml and two files of samples. Of NAME.good.yaml
all are created: `ksim run` ends well, and `ksim get` shows each kind with its columns, as NAME.out
has it. Of NAME.bad.yaml none is: each stands behind a line `# refused: TEXT`, and `ksim run` and
`ksim validate` do not end well and say TEXT. --show prints what `ksim get` shows, to be read and
put into NAME.out.

With --modules the definitions come out of Go modules, through the Go proxy: FOLDER/modules.txt
names them. There the columns are only looked for.
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

VERSIONS = ("1.30", "1.36")
SCENARIO = """apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: operators}
spec:
  compat: "%s"
  cluster: {nodes: 0, controllers: []}
  steps:
"""


def documents(text):
    return [d for d in re.split(r"^---.*$", text, flags=re.M)
            if re.search(r"^kind:", d, flags=re.M)]


def field(document, name):
    found = re.search(rf"^\s*{name}: *\"?([^\s\",}}]+)", document, flags=re.M)
    return found.group(1) if found else ""


def of_module(line):
    """The definitions of a line of modules.txt, in one text. A chart's templates are filled in."""
    _, module, pattern = line.split()
    got = json.loads(subprocess.run(["go", "mod", "download", "-json", module], cwd="/",
                                    capture_output=True, text=True).stdout or "{}")
    if "Dir" not in got:
        raise SystemExit(f"{module}: {got.get('Error', 'go mod download has failed')}")
    found = []
    for path in sorted(pathlib.Path(got["Dir"]).glob(pattern)):
        for document in documents(re.sub(r"'?\{\{.*?\}\}'?", "x", path.read_text("utf-8"))):
            if re.search(r"^kind: CustomResourceDefinition", document, flags=re.M):
                found.append(document)
    if not found:
        raise SystemExit(f"{module}: no definition in {pattern}")
    return "\n---\n".join(found) + "\n"


class Case:
    """The definitions and samples of one name, in a folder of its own, at one version."""

    def __init__(self, ksim, name, definitions, folder, version):
        self.ksim, self.name, self.version = ksim, name, version
        self.good = (folder / f"{name}.good.yaml").read_text("utf-8")
        self.bad = (folder / f"{name}.bad.yaml").read_text("utf-8")
        self.here = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.here.name)
        (self.folder / "definitions.yaml").write_text(definitions)
        self.problems = []

    def tell(self, text):
        self.problems.append(f"{self.name} ({self.version}): {text}")

    def call(self, *words):
        return subprocess.run([self.ksim, *words], cwd=self.folder, capture_output=True, text=True)

    def run_samples(self, samples, *words):
        """Runs the samples in a cluster that has the definitions."""
        (self.folder / "samples.yaml").write_text(samples)
        (self.folder / "scenario.yaml").write_text(SCENARIO % self.version + "".join(
            f"  - create: {{file: {f}}}\n" for f in ("definitions.yaml", "samples.yaml")))
        return self.call("run", "scenario.yaml", "-q", *words)

    def tables(self):
        """What `ksim get` shows of each kind of the good samples, or None if they were refused."""
        ran = self.run_samples(self.good, "--trace", "run.ktrace")
        if ran.returncode != 0:
            self.tell(f"the good samples end with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
            return None
        shown, seen = [], set()
        for document in documents(self.good):
            group = field(document, "apiVersion").partition("/")[0]
            kind = f"{field(document, 'kind').lower()}.{group}"
            if kind in seen:
                continue
            seen.add(kind)
            got = self.call("get", "run.ktrace", kind, "-A")
            if got.returncode != 0 or field(document, "name") not in got.stdout:
                self.tell(f"get {kind}: {got.stdout}{got.stderr}")
            shown.append(f"{kind}\n{got.stdout}")
        return "\n".join(shown)

    def refuses(self):
        for document in re.split(r"^---.*$", self.bad, flags=re.M):
            wanted = re.search(r"^# refused: (.*)$", document, flags=re.M)
            if wanted is None:
                self.tell("a bad sample without `# refused: TEXT`")
                continue
            self.refuse(document, wanted.group(1))

    def refuse(self, document, text):
        ran = self.run_samples(document)
        said = ran.stdout + ran.stderr
        if ran.returncode == 0 or text not in said:
            self.tell(f"not refused with {text!r}, but {ran.returncode}:\n{said}{document}")
        checked = self.call("validate", "definitions.yaml", "samples.yaml")
        if checked.returncode == 0 or text not in checked.stdout + checked.stderr:
            self.tell(f"validate says {checked.returncode}, not {text!r}:\n"
                      f"{checked.stdout}{checked.stderr}{document}")


def main():
    modules, show = "--modules" in sys.argv, "--show" in sys.argv
    ksim, folder, *names = [a for a in sys.argv[1:] if not a.startswith("--")]
    ksim, folder = str(pathlib.Path(ksim).resolve()), pathlib.Path(folder)
    if modules:
        lines = [line for line in (folder / "modules.txt").read_text("utf-8").splitlines()
                 if line and not line.startswith("#")]
        sources = {line.split()[0]: lambda line=line: of_module(line) for line in lines}
    else:
        sources = {p.stem: lambda p=p: p.read_text("utf-8") for p in sorted(folder.glob("*.yaml"))
                   if not p.stem.endswith((".good", ".bad"))}
    unknown = set(names) - set(sources)
    if unknown or not sources:
        raise SystemExit(f"{folder}: no {', '.join(sorted(unknown)) or 'definitions'}")

    def judge(job):
        name, version = job
        case = Case(ksim, name, sources[name](), folder, version)
        tables = case.tables()
        if show:
            if tables is not None and version == VERSIONS[0]:
                print(f"--- {name}.out\n{tables}", end="")
        elif not modules and tables is not None:
            wanted = (folder / f"{name}.out").read_text("utf-8")
            if tables != wanted:
                case.tell(f"the tables are\n{tables}and not\n{wanted}")
        if not show:
            case.refuses()
        return case.problems

    jobs = [(name, version) for name in names or sources for version in VERSIONS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [p for found in pool.map(judge, jobs) for p in found]
    print("\n".join(problems), end="\n" if problems else "")
    if modules:
        print(f"{len(jobs) // len(VERSIONS)} modules, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
