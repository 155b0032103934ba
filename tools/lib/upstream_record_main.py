"""usage: upstream-record [--guests DIR] [--ksim PROGRAM] [--jobs N] [--only CASE]... [--show]
                       [--version 1.30|1.36]... NAME...

Records what upstream's controllers, as guests in virtual time, make of the cases of
tests/whole/actors/recorded/guests/NAME.yaml, and writes NAME-1.30.jsonl and NAME-1.36.jsonl beside
it. A test holds ksim's own controllers to these; the README there says how a case is written.

  --guests DIR   where tools/upstream-guests put the programs; default $KSIM_GUESTS, build/guests
  --only CASE    only this case (a part of its name); what was recorded of the others stays
  --check        writes nothing: says which records differ from what would be written now
  --replay       asks no guest: says where ksim's own controllers differ from the records
  --native       asks no guest: prints what ksim's own controllers make of the cases
  --show         prints what was recorded
  --real N       NAME is replicaset or scheduler: gives the guests N of the cases that were recorded
                 from real kube-schedulers and kube-controller-managers
                 (tests/whole/actors/recorded/NAME-VERSION.jsonl), and says whether they come out so

NAME may also be the path of such a file. Without --ksim, ksim is built first. Exit code 0: done,
and with --check, --replay or --real all equal; 1: there are differences; 2: wrong usage or a wrong
case.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys

from upstream_outcomes import drawn, outcome_of, scenario_of
from upstream_record import Comparison, to_line, told
from upstream_world import SCHEDULER, VERSIONS, CaseError, actors_of, merged, nanoseconds, \
    native, run, with_guests

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/whole/actors/recorded/guests"
# How far apart two times may be that nobody drew: a request more or less on the way.
TOLERANCE = "50ms"


def read_cases(path):
    import yaml  # pylint: disable=import-outside-toplevel
    file = yaml.load(path.read_text("utf-8"), Loader=text_loader(yaml))
    cases = [merged(file, case) for case in file.get("cases", [])]
    names = [case["name"] for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise CaseError(f"{path}: two cases {name}")
    return cases


def cases_of(path, version):
    return [c for c in read_cases(path) if version in map(str, c.get("versions", VERSIONS))]


def text_loader(yaml):
    """A loader that leaves times as they are written."""
    class Loader(yaml.SafeLoader):
        pass
    Loader.yaml_implicit_resolvers = {
        first: [r for r in resolvers if r[0] != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    return Loader


def recorded_line(case, version, record):
    line = {"case": case["name"]}
    for field in ("why", "args", "tolerance"):
        if field in case:
            line[field] = case[field]
    line.update({"controllers": case["controllers"], "beside": case.get("beside", []),
                 "scenario": native(case, version)})
    line.update(record)
    return line


def record_case(case, version, options):
    scenario = with_guests(native(case, version), case["controllers"], case.get("args", []),
                           options.guests, version)
    actors = actors_of(case["controllers"], case.get("beside", []))
    return recorded_line(case, version, run(options.ksim, scenario, actors).record())


def native_case(case, version, options):
    actors = actors_of(case["controllers"], case.get("beside", []))
    scenario = native(case, version)
    return recorded_line(case, version, run(options.ksim, scenario, actors).record())


def differences(line, ksim):
    """Where ksim's own controllers differ from a recorded line."""
    actors = actors_of(line["controllers"], line["beside"])
    found = run(ksim, line["scenario"], actors).record()
    comparison = Comparison(nanoseconds(line.get("tolerance", TOLERANCE)) / 1e9)
    return comparison.of_records(line, found)


def real_case(case, version, options):
    scenario = with_guests(scenario_of(case, version), ["replicaset", SCHEDULER], [],
                           options.guests, version)
    return outcome_of(run(options.ksim, scenario, lambda actor: False))


def without(lines, others):
    """The lines that the others do not have, as often as they have them less."""
    rest = list(others)
    out = []
    for line in lines:
        if line in rest:
            rest.remove(line)
        else:
            out.append(line)
    return out


def records(path):
    if not path.exists():
        return {}
    lines = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    return {line["case"]: line for line in lines}


def show(line):
    print(f'== {line["case"]} ({line["scenario"]["spec"]["compat"]})')
    for key, histories in line["writes"].items():
        for history in histories:
            print(f"  {key}")
            for seconds, what, code, change in history:
                print(f"    {seconds:+9.3f}s {what} {code} {to_line(change)}")
    for event in line["events"]:
        print("  event {:+.3f}s..{:+.3f}s x{} {}".format(*event))
    for text in line["final"]:
        print(f"  end: {text}")
    if line["verdict"]:
        print(f'  violated: {", ".join(line["verdict"])}')


def tell(version, case, found):
    print(f"{case} ({version}): {len(found)} differences")
    for difference in found:
        print("  " + told(difference).replace("\n", "\n  "))


class Tool:
    def __init__(self, options):
        self.options, self.different = options, 0

    def wanted(self, case):
        return not self.options.only or any(part in str(case) for part in self.options.only)

    def of_file(self, path, version, pool):
        target = path.with_name(f"{path.stem}-{version}.jsonl")
        if self.options.replay:
            self.replay(target, version, pool)
            self.find_stale(path, target, version)
            return
        cases = cases_of(path, version)
        make = native_case if self.options.native else record_case
        jobs = [(case, pool.submit(make, case, version, self.options))
                for case in cases if self.wanted(case["name"])]
        before = records(target)
        new = {case["name"]: job.result() for case, job in jobs}
        if self.options.show or self.options.native:
            for line in new.values():
                show(line)
        if self.options.native:
            return
        if self.options.check:
            for name, line in new.items():
                if to_line(before.get(name)) != to_line(line):
                    self.different += 1
                    print(f"{target.name}: {name} would be written otherwise")
            return
        lines = [new.get(c["name"], before.get(c["name"])) for c in cases]
        target.write_text("".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
                                  for line in lines if line), "utf-8")
        print(f"{target}: {len(new)} cases recorded")

    def of_real(self, name, version, pool):
        """What guests make of the cases of real binaries."""
        path = FOLDER.parent / f"{name}-{version}.jsonl"
        lines = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
        cases = [c for c in drawn(lines, self.options.real) if self.wanted(c["case"])]
        jobs = [(case, pool.submit(real_case, case, version, self.options)) for case in cases]
        equal = 0
        for case, job in jobs:
            found = job.result()
            if found == case["outcome"]:
                equal += 1
                print(f'{name}-{version}: {case["case"]}: equal')
                continue
            self.different += 1
            print(f'{name}-{version}: {case["case"]}: different')
            for mark, side, other in (("real ", case["outcome"], found),
                                      ("guest", found, case["outcome"])):
                for text in without(side, other):
                    print(f"    {mark}: {text}")
        print(f"{name}-{version}: {equal} of {len(cases)} cases of the real binaries equal")

    def replay(self, target, version, pool):
        lines = [line for name, line in records(target).items() if self.wanted(name)]
        jobs = [(line, pool.submit(differences, line, self.options.ksim)) for line in lines]
        equal = 0
        for line, job in jobs:
            found = job.result()
            if found:
                self.different += 1
                tell(version, line["case"], found)
            else:
                equal += 1
        print(f"{target.name}: {equal} of {len(lines)} cases equal")

    def find_stale(self, path, target, version):
        """Cases that were written otherwise since they were recorded, where YAML can be read."""
        try:
            cases = cases_of(path, version)
        except ImportError:
            return
        lines = records(target)
        for case in cases:
            line = lines.pop(case["name"], None)
            if line is None or to_line(line["scenario"]) != to_line(native(case, version)):
                self.different += 1
                print(f'{target.name}: {case["name"]} is not recorded as it is now written')
        for name in lines:
            self.different += 1
            print(f"{target.name}: there is no case {name} any more")


def parse(arguments):
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--ksim", required=True)
    parser.add_argument("--guests",
                        default=os.environ.get("KSIM_GUESTS", str(ROOT / "build/guests")))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--real", type=int, default=0)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--version", action="append", choices=VERSIONS)
    for flag in ("--check", "--replay", "--native", "--show"):
        parser.add_argument(flag, action="store_true")
    return parser.parse_args(arguments)


def path_of(name):
    return pathlib.Path(name) if name.endswith(".yaml") else FOLDER / f"{name}.yaml"


def main(arguments):
    options = parse(arguments)
    tool = Tool(options)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name in options.names:
                for version in options.version or VERSIONS:
                    if options.real:
                        tool.of_real(name, version, pool)
                    else:
                        tool.of_file(path_of(name), version, pool)
    except (CaseError, OSError) as error:
        print(f"upstream-record: {error}", file=sys.stderr)
        return 2
    return 1 if tool.different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
