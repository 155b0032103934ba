"""usage: upstream-order [--seeds A..B] [--version 1.30|1.36]... [--guests DIR] [--write]
                      [--jobs N] [--ksim PROGRAM]

Compares the order of the requests of a Deployment's creation and rollout, from the user's own to
the last of the kubelets, with the order in which upstream's kube-controller-manager and
kube-scheduler make them as guests.

Which of two requests is first is often a matter of a millisecond. What counts is what never
varied: two requests of which the same one came first in all recorded runs
(tests/whole/actors/recorded/guests/rollout-order-VERSION.json) come in that order in ksim, too,
and those that came in all of them come. Requests that no recorded run had are told.

With --write the guests are run, with these seeds, and the file is made anew; --guests is where
tools/upstream-guests put the programs. Otherwise ksim's own are run and compared (default: seeds
1..100). Exit code 0: within the recorded order; 1: not; 2: wrong usage or a run that could not be
made.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from upstream_world import MANAGER, SCHEDULER, START_NS, VERSIONS, CaseError, native, with_guests

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = ROOT / "tests/whole/actors/recorded/guests"
CONTROLLERS = ["deployment", "replicaset", SCHEDULER]
NAME = "rollout-order"
CASE = {
    "name": NAME, "controllers": CONTROLLERS, "until": "100s", "cluster": {"nodes": 2},
    "steps": [
        {"at": "0s", "create": {"object": {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}},
                                  "spec": {"containers": [{"name": "c", "image": "i:1"}]}}}}}},
        {"at": "40s", "setImage": {"resource": "deploy/web", "images": {"c": "i:2"}}},
    ]}
# They go by the clock.
IGNORED = {"leases", "nodes"}
READS = {"get", "list", "watch"}
CONFLICT = 409


class Run:
    """The requests of a run that changed something, in the order in which they were sent: the first
    and the last of those with one meaning."""

    def __init__(self, lines):
        self.names = {}    # (resource, name) -> what it is called here
        self.made = {}     # how many of a kind there are
        self.first, self.last = {}, {}
        refused, sent = set(), []
        for line in lines:
            event = json.loads(line)
            kind = event.get("kind")
            if kind == "request" and event["t"] >= START_NS and event["verb"] not in READS \
                    and event["resource"] not in IGNORED:
                sent.append(event)
            elif kind == "response" and event.get("code") == CONFLICT:
                refused.add(event["id"])
            elif kind == "commit" and event["op"] == "create":
                self._name(event)
        for place, request in enumerate(r for r in sent if r["id"] not in refused):
            meaning = self._meaning(request)
            if meaning:
                self.first.setdefault(meaning, place)
                self.last[meaning] = place

    def _name(self, commit):
        """ReplicaSets by their order, pods by their set and their order in it."""
        resource, name = commit["resource"], commit["name"]
        parent = self.names.get(("replicasets", name.rsplit("-", 1)[0]), "")
        group = f"{parent}{resource}"
        self.made[group] = self.made.get(group, 0) + 1
        if resource in ("replicasets", "pods"):
            self.names[resource, name] = f"{group}[{self.made[group]}]"

    def _meaning(self, request):
        resource, name = request["resource"], request["name"]
        if resource == "events":
            return None  # sent by a task of its own, whenever it gets to it
        who = request["actor"].split("/")[0].replace("-guest", "")
        who = "kubelet" if who.startswith("kubelet") else who
        what = self.names.get((resource, name), f"{resource}/{name}")
        if request["verb"] == "create" and not request["subresource"]:
            what = resource  # an object that is made has no name in its path
        return " ".join(filter(None, [who, request["verb"], what, request["subresource"]]))

    def points(self):
        """(meaning, first or last) -> place."""
        return {**{f"first {m}": p for m, p in self.first.items()},
                **{f"last {m}": p for m, p in self.last.items()}}


def run(ksim, scenario, seed):
    scenario = {**scenario, "spec": {**scenario["spec"], "seed": seed}}
    with tempfile.TemporaryDirectory(prefix="ksim-order-") as folder:
        file, trace = pathlib.Path(folder, "scenario.yaml"), pathlib.Path(folder, "trace.jsonl")
        file.write_text(json.dumps(scenario), "utf-8")
        done = subprocess.run([ksim, "run", str(file), "-q", "--trace", str(trace)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CaseError(f"seed {seed}: ksim run ended with {done.returncode}:\n{done.stderr}")
        with trace.open(encoding="utf-8") as lines:
            return Run(lines)


def order_of(runs):
    """What is common to all: {"always": [point], "sometimes": [point], "before": {point: [point]}},
    each point with those that came after it in each run that had both."""
    points = [r.points() for r in runs]
    known = sorted(set().union(*points))
    always = [k for k in known if all(k in p for p in points)]
    after = {}
    for a in always:
        later = [b for b in always if a != b and all(p[a] < p[b] for p in points)]
        if later:
            after[a] = later
    # Without what follows from the rest.
    before = {a: [b for b in later if not any(b in after.get(c, ()) for c in later)]
              for a, later in after.items()}
    return {"always": always, "sometimes": [k for k in known if k not in always], "before": before}


def closed(before):
    """All that follows from what the file says."""
    out = {}

    def later(a):
        if a not in out:
            out[a] = set(before.get(a, ()))
            for b in before.get(a, ()):
                out[a] |= later(b)
        return out[a]

    for a in before:
        later(a)
    return out


def free(a, b):
    """Kubelets do nothing about two pods in an order: a guest's bindings come in the order in which
    they are sent, since they share a connection, and ksim's own need not."""
    (_, who, *what), (_, other, *of) = a.split(" "), b.split(" ")
    return who == other == "kubelet" and what[1] != of[1]


def departures(order, one):
    points = one.points()
    known = {*order["always"], *order["sometimes"]}
    out = [f"nobody does: {k}" for k in order["always"] if k not in points]
    out += [f"not recorded: {k}" for k in points if k not in known]
    for a, later in closed(order["before"]).items():
        out += [f"{b}  before  {a}" for b in sorted(later)
                if a in points and b in points and points[b] < points[a] and not free(a, b)]
    return out


def file_of(version):
    return RECORDS / f"{NAME}-{version}.json"


def write(options, version, seeds_of):
    scenario = with_guests(native(CASE, version), CONTROLLERS, [], options.guests, version)
    runs = seeds_of(scenario)
    order = {"runs": len(runs), **order_of(runs)}
    file_of(version).write_text(json.dumps(order, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"{version}: {len(order['always'])} points in all of {len(runs)} runs, "
          f"{sum(map(len, order['before'].values()))} pairs of them in one order")
    return 0


def compare(version, seeds, seeds_of):
    order = json.loads(file_of(version).read_text("utf-8"))
    found = {}
    for seed, one in zip(seeds, seeds_of(native(CASE, version))):
        for text in departures(order, one):
            found.setdefault(text, []).append(seed)
    for text, where in sorted(found.items()):
        print(f"{version}: {text}  ({len(where)} runs, the first with seed {where[0]})")
    print(f"{version}: {len(seeds)} runs, {len(found)} departures from the recorded order")
    return 1 if found else 0


def parse(arguments):
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--seeds", default="1..100")
    parser.add_argument("--version", action="append", choices=VERSIONS)
    parser.add_argument("--ksim", required=True)
    parser.add_argument("--guests",
                        default=os.environ.get("KSIM_GUESTS", str(ROOT / "build/guests")))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    first, _, last = options.seeds.partition("..")
    options.seeds = range(int(first), int(last or first) + 1)
    return options


def main(arguments):
    options = parse(arguments)
    code = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            def seeds_of(scenario):
                return list(pool.map(lambda s: run(options.ksim, scenario, s), options.seeds))
            for version in options.version or VERSIONS:
                code |= write(options, version, seeds_of) if options.write \
                    else compare(version, options.seeds, seeds_of)
    except (CaseError, OSError) as error:
        print(f"upstream-order: {error}", file=sys.stderr)
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
