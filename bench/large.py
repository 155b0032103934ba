#!/usr/bin/env python3
"""Measures large workloads: pods of ReplicaSets on many nodes, then the end of their namespace.

  bench/large.py [--nodes 300] [--pods 9000] [--sets 30] [--services] [--keep]
                 [--ksim FILE] [--write FILE]
  bench/large.py --growth        a tenth, a third and all of it: the cost of one deletion should
                                 not grow with the number of objects

All controllers run, as upstream's defaults have it. `--services`: a Service selects the pods of
each ReplicaSet. `--keep`: the namespace is not deleted. `--write` writes the scenario, and runs
nothing.
Time is that of the CPU, user and system together; run it on a quiet machine.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Virtual time at which the namespace goes: all pods run by then.
DELETED_AT = "15m"


def scenario(nodes, pods, sets, services, keep):
    steps = [{"at": "0s", "create": {"document": "Namespace/big"}}]
    documents = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "big"}}]
    for i in range(sets):
        name = f"set-{i}"
        documents.append({
            "apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {"name": name, "namespace": "big"},
            "spec": {"replicas": pods // sets, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}},
                                  "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}})
        steps.append({"at": "2s", "create": {"document": f"ReplicaSet/{name}"}})
        if services:
            documents.append({
                "apiVersion": "v1", "kind": "Service",
                "metadata": {"name": name, "namespace": "big"},
                "spec": {"selector": {"app": name}, "ports": [{"port": 80}]}})
            steps.append({"at": "2s", "create": {"document": f"Service/{name}"}})
    expect = [{"eventually": {"resource": "pods", "namespace": "big", "count": pods,
                              "where": "status.phase == Running"},
               "within": DELETED_AT, "lasts": False}]
    if not keep:
        steps.append({"at": DELETED_AT, "delete": {"resource": "namespaces/big", "wait": False}})
        expect.append({"finally": {"resource": "namespaces/big", "count": 0}})
    first = {"apiVersion": "ksim.dev/v1", "kind": "Scenario", "metadata": {"name": "large"},
             "spec": {"compat": "1.36", "cluster": {"nodes": nodes},
                      "limit": {"time": "4h", "events": "50M"}, "steps": steps, "expect": expect}}
    return "\n---\n".join(json.dumps(d) for d in [first, *documents]) + "\n"


def measure(options, nodes, pods, keep):
    """CPU-seconds and events of one run."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(scenario(nodes, pods, options.sets, options.services, keep))
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([options.ksim, "run", "-q", "-o", "json", file.name], text=True,
                              cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"large: ksim ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(done.stdout)["events"]


def report(what, seconds, events):
    each = 1e6 * seconds / events
    print(f"{what}: {seconds:.1f} s of CPU, {events:,} events, {each:.1f} us each", flush=True)


def growth(options):
    for share in (10, 3, 1):
        nodes, pods = options.nodes // share, options.pods // share // options.sets * options.sets
        kept, kept_events = measure(options, nodes, pods, keep=True)
        whole, events = measure(options, nodes, pods, keep=False)
        report(f"{nodes} nodes, {pods} pods", whole, events)
        each = 1e6 * (whole - kept) / pods
        print(f"  the deletion of one pod and what it leads to: {each:.0f} us, "
              f"{(events - kept_events) / pods:.0f} events", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--pods", type=int, default=9000)
    parser.add_argument("--sets", type=int, default=30)
    parser.add_argument("--services", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--write", help="write the scenario to this file")
    parser.add_argument("--ksim", default=os.environ.get("KSIM", str(ROOT / "tools" / "ksim")))
    options = parser.parse_args()
    if options.write:
        pathlib.Path(options.write).write_text(scenario(
            options.nodes, options.pods, options.sets, options.services, options.keep))
    elif options.growth:
        growth(options)
    else:
        what = f"{options.nodes} nodes, {options.pods} pods" + (", Services" * options.services)
        report(what, *measure(options, options.nodes, options.pods, options.keep))


if __name__ == "__main__":
    main()
