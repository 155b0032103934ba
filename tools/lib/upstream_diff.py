"""usage: upstream-diff [--seeds A..B] [--faults] [--version 1.30|1.36]... [--guests DIR]
                     [--keep DIR] [--jobs N] [--ksim PROGRAM] CONTROLLER...

Draws a workload for each seed (default 1..20), runs it with ksim's own controller and with
upstream's as a guest, in the same world (a message takes as long in the one as in the other), and
compares.

Without --faults the writes by object, the Events and the objects at the end must be equal. With
--faults each run meets drawn faults, all of which end; then the objects at the end must be equal
but for times, and so must the oracles' verdicts.

Differences are told by class, the smallest workload first. A class that is explained
(tools/lib/upstream_explained.py, docs/fidelity.md) is counted and not told. --keep writes the
smallest workload of each class to DIR, as a file of cases for tools/upstream-record.

CONTROLLER: one with a row in tools/lib/upstream_workloads.py. --guests is where
tools/upstream-guests put the programs; default $KSIM_GUESTS, build/guests. Without --ksim, ksim is
built first. Exit code 0: all equal or explained; 1: there are differences; 2: wrong usage or a run
that could not be made.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import sys

from upstream_explained import EXPLAINED
from upstream_record import SECONDS, Comparison, to_line, told
from upstream_world import VERSIONS, CaseError, actors_of, native, run, with_guests
from upstream_workloads import WORKLOADS, case_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
# So many draws of the latencies a workload has to come out equal under one of: of pods that rank
# equal either may go, and then the messages about it take another time.
WORLDS = 8
# The annotation that `rejectWrite` leaves on the object whose write it answers with a conflict. It
# strikes the next write, and after other faults that is one object's or another's.
ANOTHER_WRITER = "metadata.annotations['ksim.dev/another-writer']"
CONFLICT = 409
CONTAINER = re.compile(r"containerd://[0-9a-f]{64}")  # drawn, as uids are


def timeless(value):
    """A state without its times, and what else was drawn for it."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k != ANOTHER_WRITER}
    if isinstance(value, list):
        return [timeless(v) for v in value]
    if isinstance(value, str):
        return CONTAINER.sub("containerd://ID", SECONDS.sub("T", value))
    return value


def state_differences(expected, found):
    """Objects at the end, each as its tree without times."""
    out = []
    for key in sorted(set(expected) | set(found)):
        left = [timeless(t) for t in expected.get(key, [])]
        rest = [timeless(t) for t in found.get(key, [])]
        for tree in list(left):
            if tree in rest:
                rest.remove(tree)
                left.remove(tree)
        for i in range(max(len(left), len(rest))):
            a, b = (side[i] if i < len(side) else None for side in (left, rest))
            if a is not None and b is not None:
                a, b = ({p: v for p, v in x.items() if y.get(p) != v} for x, y in ((a, b), (b, a)))
            else:  # one more on one side: that it is there says enough
                a, b = (None if x is None else "there" for x in (a, b))
            out.append({"what": f"end of {key}", "expected": a, "found": b})
    return out


def without_conflicts(record):
    """A record without the writes that were refused because the object had changed."""
    writes = {key: [[w for w in history if w[2] != CONFLICT] for history in histories]
              for key, histories in record["writes"].items()}
    return {**record, "writes": writes}


def compared(expected, found, faults, workload):
    """The differences of two runs."""
    comparison = Comparison(workload.tolerance)
    a, b = expected.record(), found.record()
    if not workload.conflicts:
        a, b = without_conflicts(a), without_conflicts(b)
    if faults:
        return state_differences(expected.states(), found.states()) + \
            comparison.of_records(a, b, ("verdict",))
    return comparison.of_records(a, b)


def class_of(difference):
    """What differences of one kind have in common."""
    what = re.sub(r"[0-9]+", "N", difference["what"].split("/")[0])
    sides = []
    for side, other in (("expected", "found"), ("found", "expected")):
        value, twin = difference[side], difference[other]
        if value is None:
            sides.append("nothing")
        elif what == "events":
            count = "" if value[2] == 1 else " xN"
            sides.append(generic(re.sub(r"\S+/\S+ by.*", "", value[3])) + count)
        elif isinstance(value, list) and len(value) == 4 and isinstance(value[3], (dict, str)):
            fields = value[3]
            if isinstance(fields, dict):
                theirs = twin[3] if isinstance(twin, list) and isinstance(twin[3], dict) else {}
                fields = "{" + ",".join(sorted(generic(k) for k in fields
                                               if fields[k] != theirs.get(k, ()))[:6]) + "}"
            sides.append(f"{value[1]} {value[2]} {fields}")
        elif isinstance(value, dict):
            sides.append("{" + ",".join(sorted(map(generic, value))[:6]) + "}")
        else:
            sides.append(generic(str(value)))
    return f"{what}: {sides[0]} -> {sides[1]}"


def generic(text):
    return re.sub(r"[0-9]+", "N", text)


class Outcome:
    def __init__(self, seed, version, case, differences, drawn):
        self.seed, self.version, self.case, self.differences = seed, version, case, differences
        self.drawn = drawn  # equal with other draws than the first

    def size(self):
        return len(to_line(self.case))


def judge(name, seed, version, options):
    """The Outcome of one workload: that of the first of a few worlds, unless both do the same in
    another one. What differs in every world is no matter of who was a millisecond earlier."""
    workload = WORKLOADS[name]
    case = case_of(name, seed, options.faults)
    actors = actors_of(workload.controllers, case.get("beside", []))
    first = None
    for world in range(1, WORLDS + 1):
        scenario = native({**case, "seed": world}, version)
        upstream = run(options.ksim, with_guests(scenario, workload.controllers, [],
                                                 options.guests, version), actors)
        # Where upstream draws lots among equals, one of ksim's seeds has to draw as it did.
        for lot in range(workload.lots):
            scenario["spec"]["seed"] = world + lot * WORLDS
            found = compared(upstream, run(options.ksim, scenario, actors), options.faults,
                             workload)
            if not found:
                return Outcome(seed, version, case, [], world > 1 or lot > 0)
            first = first or found
    return Outcome(seed, version, case, first, False)


def explanation(name, text):
    for controller, pattern, reason in EXPLAINED:
        if controller == name and re.search(pattern, text):
            return reason
    return None


class Report:
    def __init__(self, name, options):
        self.name, self.options = name, options
        self.classes = collections.defaultdict(list)  # (outcome, difference)
        self.runs = self.equal = self.drawn = 0

    def take(self, outcome):
        self.runs += 1
        if not outcome.differences:
            self.equal += 1
            self.drawn += outcome.drawn
        seen = set()
        for difference in outcome.differences:
            text = class_of(difference)
            if text not in seen:
                seen.add(text)
                self.classes[text].append((outcome, difference))

    def tell(self):
        """The number of classes that nothing explains."""
        unexplained = 0
        explained = collections.Counter()
        for text, found in sorted(self.classes.items(),
                                  key=lambda item: min(o.size() for o, _ in item[1])):
            reason = explanation(self.name, text)
            if reason:
                explained[reason] += len(found)
                continue
            unexplained += 1
            outcome, difference = min(found, key=lambda pair: pair[0].size())
            print(f"{self.name}, class {unexplained}: {text}")
            print(f"  in {len(found)} runs; smallest: seed {outcome.seed}, {outcome.version}")
            print("  upstream is expected: " + told(difference).replace("\n", "\n  "))
            if self.options.keep:
                self._keep(unexplained, outcome)
        for reason, count in sorted(explained.items()):
            print(f"{self.name}: explained in {count} runs: {reason}")
        how = "with faults" if self.options.faults else "without faults"
        print(f"{self.name}: {self.runs} runs {how}, {self.equal} equal "
              f"({self.drawn} of them with another draw than the first), "
              f"{unexplained} classes of differences that nothing explains")
        return unexplained

    def _keep(self, number, outcome):
        folder = pathlib.Path(self.options.keep)
        folder.mkdir(parents=True, exist_ok=True)
        file = {"controllers": outcome.case["controllers"], "cases": [outcome.case]}
        path = folder / f"{self.name}-{number}-{outcome.version}.yaml"
        path.write_text(json.dumps(file, indent=1) + "\n", "utf-8")
        print(f"  kept: {path}")


def parse(arguments):
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("names", nargs="+", choices=sorted(WORKLOADS))
    parser.add_argument("--seeds", default="1..20")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--version", action="append", choices=VERSIONS)
    parser.add_argument("--ksim", required=True)
    parser.add_argument("--guests",
                        default=os.environ.get("KSIM_GUESTS", str(ROOT / "build/guests")))
    parser.add_argument("--keep")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    first, _, last = options.seeds.partition("..")
    options.seeds = range(int(first), int(last or first) + 1)
    return options


def main(arguments):
    options = parse(arguments)
    unexplained = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name in options.names:
                report = Report(name, options)
                jobs = [pool.submit(judge, name, seed, version, options)
                        for version in options.version or VERSIONS for seed in options.seeds]
                for job in jobs:
                    report.take(job.result())
                unexplained += report.tell()
    except (CaseError, OSError) as error:
        print(f"upstream-diff: {error}", file=sys.stderr)
        return 2
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
