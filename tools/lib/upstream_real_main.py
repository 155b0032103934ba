"""usage: upstream-real [--programs DIR] [--etcd PROGRAM] [--ksim PROGRAM] [--only CASE]...
                     [--version 1.30|1.36]... [--show] [NAME...]

Records what real kube-controller-managers and kube-schedulers, beside a real kube-apiserver and
etcd, make of cases of tests/whole/actors/recorded/guests/NAME.yaml, without times, and writes
tests/whole/actors/recorded/real/NAME-1.30.jsonl and NAME-1.36.jsonl. Says then where the guests'
records differ. A test holds ksim's own controllers to the same.

  --programs DIR  where DIR/1.30.14 and DIR/1.36.3 have the three programs; default build/kubernetes
  --etcd PROGRAM  default: etcd
  --only CASE     only this case (a part of its name); what was recorded of the others stays
  --compare       runs no real binary: says where the records of guests and real binaries differ
                  without explanation
  --replay        the same, and of what ksim's own controllers make of the cases: what the test does
  --plan          says which cases are recorded, and of the others why not
  --show          prints what was recorded, or where something explained differs

NAME+NAME records two kinds in one cluster at once: as well where neither's controllers act on the
other's objects, and half as long. Without NAME all are meant. Exit code 0: done, and nothing
unexplained; 1: there are unexplained differences; 2: wrong usage, or a program that did not run.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import signal
import sys

from api_servers import ServerError
from real_etcd import EtcdError
from upstream_real_cluster import Cluster
from upstream_real_explained import EXPLAINED
from upstream_real_outcome import compared, outcome_of, told
from upstream_real_plan import PLANS, kubelets_of, runs, unfit, until_of
from upstream_real_run import Session
from upstream_record import to_line
from upstream_record_main import FOLDER, ROOT, actors_of, cases_of, records, run
from upstream_world import VERSIONS, CaseError, native

REAL = FOLDER.parent / "real"
ENOUGH = 10  # cases of a kind
RELEASES = {"1.30": "1.30.14", "1.36": "1.36.3"}


def fit_cases(name, version):
    """(case, why it is not recorded)"""
    plan, out, taken = PLANS[name], [], {}
    for case in cases_of(FOLDER / f"{name}.yaml", version):
        why = unfit(case, plan, version)
        if not why:
            key = runs(case)
            taken[key] = taken.get(key, 0) + 1
            if taken[key] > plan.count:
                why = "there are enough of this kind"
        out.append((case, why))
    return out


def uids_of(ksim, version):
    """uid to (resource, namespace, name), as ksim gives them under a case's seed: a case that
    names an owner by its uid means the object that gets it."""
    def read(case):
        text = json.dumps([case.get("given"), case.get("steps")])
        if '"uid"' not in text:
            return {}
        return run(ksim, native(case, version), lambda actor: False).objects.uids
    return read


class Tool:
    def __init__(self, options):
        self.options, self.unexplained, self.used = options, 0, set()

    def wanted(self, name):
        return not self.options.only or any(part in name for part in self.options.only)

    def plan(self, name, version):
        for case, why in fit_cases(name, version):
            print(f'{name}-{version}: {case["name"]}: {why or "recorded"}')

    def record(self, name, version):
        """Records a kind, or several in one cluster (NAME+NAME)."""
        names = name.split("+")
        chosen = {n: [c for c, why in fit_cases(n, version) if not why] for n in names}
        taints = any("nodelifecycle" in c["controllers"] for n in names for c in chosen[n])
        programs = pathlib.Path(self.options.programs) / RELEASES[version]
        # The cluster ends first, so that a stopped recording does not go on.
        with concurrent.futures.ThreadPoolExecutor(len(names)) as pool, \
                Cluster(programs, self.options.etcd, taints) as cluster:
            list(pool.map(lambda n: self.record_kind(cluster, n, version, chosen[n]), names))

    def record_kind(self, cluster, name, version, chosen):
        cases = [c for c in chosen if self.wanted(c["name"])]
        target = REAL / f"{name}-{version}.jsonl"
        before, new = records(target), {}
        print(f"{name}-{version}: {len(cases)} cases", flush=True)
        session = Session(cluster, PLANS[name], lambda text: print(text, flush=True))
        for case, outcome, refused in session.run(cases, uids_of(self.options.ksim, version)):
            new[case["name"]] = {"case": case["name"], **outcome}
            if self.options.show:
                for text in refused:
                    print(f'  {case["name"]}: refused: {text}')
        lines = [new.get(c["name"], before.get(c["name"])) for c in chosen]
        target.parent.mkdir(exist_ok=True)
        target.write_text("".join(to_line(line) + "\n" for line in lines if line), "utf-8")
        print(f"{target}: {len(new)} cases recorded")

    def compare(self, name, version, pool):
        """Compares what was recorded with the guests' records and, on request, with ksim."""
        real, guests = (records(folder / f"{name}-{version}.jsonl") for folder in (REAL, FOLDER))
        expected = {c["name"] for c, why in fit_cases(name, version) if not why} \
            if have_yaml() else set(real)
        for case in sorted(set(real) - expected):
            self.unexplained += 1
            print(f"{name}-{version}: {case} is not recorded as the plan has it")
        # Cases that came later may wait for the next recording.
        if len(real) < min(ENOUGH, len(expected)):
            self.unexplained += 1
            print(f"{name}-{version}: {len(real)} cases are recorded, {ENOUGH} are enough")
        jobs = [(case, pool.submit(self.sides, name, guests[case], version))
                for case in real if case in guests and self.wanted(case)]
        equal = explained = 0
        for case, job in jobs:
            found = [(side, d) for side, outcome in job.result().items()
                     for d in compared(real[case], outcome)]
            bad = [(side, d) for side, d in found
                   if d["class"] is None and not self.explain(name, version, case, d)]
            equal += not found
            explained += bool(found) and not bad
            self.unexplained += bool(bad)
            for side, difference in bad if not self.options.show else found:
                print(f"{name}-{version}: {case}: {side}: {told(difference)}")
        print(f"{name}-{version}: of {len(jobs)} cases {equal} are equal, {explained} differ as "
              f"is explained", flush=True)

    def explain(self, name, version, case, difference):
        for entry in EXPLAINED:
            if entry.covers(name, version, case, difference):
                self.used.add(entry)
                return True
        return False

    def sides(self, name, line, version):
        """The outcomes of a case as guests, and as ksim's own controllers make it now."""
        fields = {"cluster": line["scenario"]["spec"]["cluster"], "name": line["case"],
                  "steps": in_case(line["scenario"]["spec"]), "until": until_in_case(line)}
        until, nodes = until_of(fields, PLANS[name]), kubelets_of(fields)
        out = {"guest": outcome_of(line, until, nodes)}
        if self.options.replay:
            actors = actors_of(line["controllers"], line["beside"])
            found = run(self.options.ksim, line["scenario"], actors).record()
            out["ksim"] = outcome_of(found, until, nodes)
        return out

    def find_stale(self, names, versions):
        for entry in EXPLAINED:
            if entry.kind in names and set(entry.versions) <= set(versions) and \
                    entry not in self.used and not self.options.only:
                self.unexplained += 1
                print(f"the register has an entry that explains nothing: {entry}")


def have_yaml():
    try:
        import yaml  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        return False
    return True


def in_case(spec):
    """A scenario's steps counted from the start of the case, without what is given before."""
    from upstream_world import START_NS  # pylint: disable=import-outside-toplevel
    at = [int(step["at"].removesuffix("ns")) - START_NS for step in spec.get("steps", [])]
    return [{"at": f"{ns}ns"} for ns in at if ns >= 0]


def until_in_case(line):
    from upstream_world import START_NS  # pylint: disable=import-outside-toplevel
    return f'{int(line["scenario"]["spec"]["until"].removesuffix("ns")) - START_NS}ns'


def parse(arguments):
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--ksim", required=True)
    parser.add_argument("--programs", default=str(ROOT / "build/kubernetes"))
    parser.add_argument("--etcd", default="etcd")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--version", action="append", choices=VERSIONS)
    for flag in ("--compare", "--replay", "--plan", "--show"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args(arguments)
    for name in options.names:
        for kind in name.split("+"):
            if kind not in PLANS:
                parser.error(f'no kind {kind}; there are {", ".join(PLANS)}')
    return options


def main(arguments):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the cluster ends with the `with`
    tool, names = Tool(options), options.names or list(PLANS)
    kinds = [kind for name in names for kind in name.split("+")]
    versions = options.version or list(VERSIONS)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name in names:
                for version in versions:
                    if options.plan:
                        for kind in name.split("+"):
                            tool.plan(kind, version)
                        continue
                    if not options.compare and not options.replay:
                        tool.record(name, version)
                    for kind in name.split("+"):
                        tool.compare(kind, version, pool)
        if options.compare or options.replay:
            tool.find_stale(kinds, versions)
    except (CaseError, EtcdError, OSError, RuntimeError, ServerError) as error:
        print(f"upstream-real: {error}", file=sys.stderr)
        return 2
    return 1 if tool.unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
