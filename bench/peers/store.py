#!/usr/bin/env python3
"""usage: bench/peers/store.py [--rounds N] [--bench build/bench/bench/store_bench] [--quick]

ksim's store beside etcd's in one table: bench/store_bench, the benchmarks of etcd's own mvcc
package, and bench/peers/etcd, which does to etcd what bench/store_bench does to ksim. Everything
runs N times (default 3), in turns; the table has the least time of each and the widest spread.

Needs Debian's golang-go and golang-etcd-server-dev (etcd 3.4). --quick leaves out etcd's row
of a million watches. Compare ratios, and take figures that are written down on an idle machine.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOPATH = pathlib.Path("/usr/share/gocode")
MVCC = GOPATH / "src/go.etcd.io/etcd/mvcc"

# etcd's package benchmarks: row, runs, operations in one run.
PACKAGE_ROWS = {
    "StorePut": ("store_put", 200000, 1), "StorePutUpdate": ("store_put_update", 200000, 1),
    "StoreTxnPut": ("store_txn_put", 200000, 1), "StoreRangeKey1": ("range_1", 20000, 1),
    "StoreRangeKey100": ("range_100", 20000, 1),
    "KVWatcherMemoryUsage": ("watch_create", 200000, 1),
    "WatchableStoreSyncedCancel": ("watch_cancel_synced", 1, 1000000),
    "IndexCompact10000": ("index_compact_10000", 2000, 1)}
# How many times faster ksim is meant to be.
GOALS = {"put_new": 5, "put_update": 5, "delete_one": 3, "list_all_10k": 15, "fanout_100": 10,
         "fanout_1000": 10, "watch_create": 5}
# etcd 3.4's own weak spots, not to be boasted with: a copy of the read buffer in every single-key
# read, pauses in compaction and catch-up.
UNFAIR = ("get", "get_past", "guarded_update", "range_1", "compact", "catchup_10000")


def go_environment(scratch):
    return dict(os.environ, GO111MODULE="off", GOPATH=str(GOPATH), GOFLAGS="",
                GOCACHE=str(scratch / "cache"), CGO_ENABLED="0")


def build_peers(scratch):
    """(etcd's package benchmarks, bench/peers/etcd)"""
    tests, rows = scratch / "mvcc.test", scratch / "rows"
    environment = go_environment(scratch)
    for command, folder in ((["test", "-c", "-o", tests], MVCC),
                            (["build", "-o", rows], ROOT / "bench/peers/etcd")):
        subprocess.run(["go", *map(str, command), "."], cwd=folder, env=environment, check=True)
    return tests, rows


def run_ksim(program):
    """Row to nanoseconds an operation, and row to bytes."""
    done = subprocess.run([program, "--benchmark_format=json"], capture_output=True, check=True)
    times, sizes = {}, {}
    for b in json.loads(done.stdout)["benchmarks"]:
        name = b["name"].split("/")[0]
        if "B" in b:
            sizes[name] = b["B"]
        else:
            times[name] = b["real_time"] / b.get("items", 1)
    return times, sizes


def run_package(program, scratch):
    times = {}
    environment = dict(os.environ, TMPDIR=str(scratch))
    for name, (row, runs, operations) in PACKAGE_ROWS.items():
        done = subprocess.run(
            [program, "-test.run", "^$", "-test.bench", f"^Benchmark{name}$",
             "-test.benchtime", f"{runs}x"], cwd=MVCC, env=environment, capture_output=True,
            text=True, check=False)
        found = re.search(rf"^Benchmark{name}\S*\s+\d+\s+([\d.]+) ns/op", done.stdout, re.M)
        if found:
            times[row] = float(found[1]) / operations
    return times


def run_rows(program, scratch):
    done = subprocess.run([program], env=dict(os.environ, TMPDIR=str(scratch)), text=True,
                          capture_output=True, check=True)
    return {name: float(ns) for name, _, ns in map(str.split, done.stdout.splitlines())}


def merge(into, times):
    for name, ns in times.items():
        into.setdefault(name, []).append(ns)


def spread(values):
    return (max(values) / min(values) - 1) * 100


def table(ksim, etcd, sizes):
    print(f"{'row':<20} {'ksim ns':>12} {'etcd ns':>12} {'times faster':>13}  {'goal':<6} spread")
    for name, ours in ksim.items():
        theirs = etcd.get(name)
        if not theirs:
            print(f"{name:<20} {min(ours):>12.1f} {'-':>12} {'':>21}  {spread(ours):.0f} %")
            continue
        ratio = min(theirs) / min(ours)
        goal = GOALS.get(name)
        verdict = "" if goal is None else f"{goal}x" + ("" if ratio >= goal else " !")
        note = "  (not a fair row)" if name in UNFAIR else ""
        print(f"{name:<20} {min(ours):>12.1f} {min(theirs):>12.1f} {ratio:>13.1f}  {verdict:<6} "
              f"{max(spread(ours), spread(theirs)):.0f} %{note}")
    for name, size in sizes.items():
        print(f"{name:<24} {size:>8.0f} B")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", maxsplit=1)[0][7:])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=ROOT / "build/bench/bench/store_bench")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if not options.bench.exists():
        parser.error(f"{options.bench} is not there; cmake --build --preset bench makes it")
    if not shutil.which("go") or not MVCC.is_dir():
        parser.error("golang-go and golang-etcd-server-dev are missing")
    if options.quick:
        PACKAGE_ROWS.pop("WatchableStoreSyncedCancel")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ksim, etcd, sizes = {}, {}, {}
    with tempfile.TemporaryDirectory(prefix="ksim-peers-", dir=memory) as folder:
        scratch = pathlib.Path(folder)
        tests, rows = build_peers(scratch)
        for _ in range(options.rounds):
            times, sizes = run_ksim(options.bench)
            merge(ksim, times)
            merge(etcd, run_package(tests, scratch))
            merge(etcd, run_rows(rows, scratch))
    load = os.getloadavg()[0]
    print(f"etcd 3.4 in process, database in {memory or 'TMPDIR'}; {os.cpu_count()} CPUs, "
          f"load {load:.1f}, {options.rounds} rounds")
    table(ksim, etcd, sizes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
