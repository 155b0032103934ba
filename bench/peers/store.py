#!/usr/bin/env python3
"""usage: bench/peers/store.py [--rounds N] [--bench build/bench/bench/store_bench] [--go GO]

ksim's store beside etcd's in one table: bench/store_bench, bench/peers/etcd, which does to etcd in
process what bench/store_bench does to ksim, and some benchmarks of etcd's own mvcc package.
Everything runs N times (default 5), in turns; a figure is the least of its N, `spread` how far the
others are from it. Below the table stands what must hold within ksim alone.

Needs Debian's golang-etcd-server-dev (etcd 3.4) and Go: Debian's golang-go or a newer one. Compare
ratios, not nanoseconds. Exit code 1 if a goal is missed.
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

# etcd's package benchmarks: row, runs.
PACKAGE_ROWS = {
    "StorePut": ("store_put", 200000), "StorePutUpdate": ("store_put_update", 200000),
    "StoreTxnPut": ("store_txn_put", 200000), "StoreRangeKey1": ("range_1", 20000),
    "StoreRangeKey100": ("range_100", 20000),
    "WatchableStoreWatchPutSync": ("watch_put_sync", 100000),
    "IndexCompact10000": ("index_compact_10000", 2000)}
# How many times faster ksim is meant to be.
GOALS = {"put_new": 5, "put_update": 5, "delete_one": 3, "list_all_10k": 15, "fanout_100": 10,
         "fanout_1000": 10, "watch_create": 5}
# etcd 3.4's own weak spots, not to be boasted with: a copy of the read buffer in every single-key
# read, pauses in compaction and catch-up.
UNFAIR = ("get", "get_past", "guarded_update", "range_1", "compact", "catchup_10000")
# Bounds that hold within ksim: text, row, row to divide by or none, bound.
LAWS = (
    ("a watch event of a 16 KiB value against one of 1 KiB", "fanout_100_16k", "fanout_100", 1.2),
    ("a list at an old revision against the current one", "list_past_10k", "list_all_10k", 2),
    ("bytes a further version of a 16 KiB object takes", "memory_per_version_16k", None, 1024))


def build_peers(go, scratch):
    """(etcd's package benchmarks, bench/peers/etcd)"""
    environment = dict(os.environ, GO111MODULE="off", GOPATH=str(GOPATH), GOFLAGS="",
                       GOCACHE=str(scratch / "cache"), CGO_ENABLED="0")
    tests, rows = scratch / "mvcc.test", scratch / "rows"
    # -vet=off: newer Go objects to a format string in etcd 3.4's tests.
    for command, folder in ((["test", "-c", "-vet=off", "-o", tests], MVCC),
                            (["build", "-o", rows], ROOT / "bench/peers/etcd")):
        subprocess.run([go, *map(str, command), "."], cwd=folder, env=environment, check=True)
    return tests, rows


def run_ksim(program):
    """Row to nanoseconds an operation, or to bytes. One thread: its CPU time is what it takes."""
    done = subprocess.run([program, "--benchmark_format=json"], capture_output=True, check=True)
    return {b["name"].split("/")[0]: b["B"] if "B" in b else b["cpu_time"] / b.get("items", 1)
            for b in json.loads(done.stdout)["benchmarks"]}


def run_package(program, scratch):
    rows = {}
    for name, (row, runs) in PACKAGE_ROWS.items():
        done = subprocess.run(
            [program, "-test.run", "^$", "-test.bench", f"^Benchmark{name}$",
             "-test.benchtime", f"{runs}x"], cwd=MVCC, env=dict(os.environ, TMPDIR=str(scratch)),
            capture_output=True, text=True, check=False)
        found = re.search(rf"^Benchmark{name}\S*\s+\d+\s+([\d.]+) ns/op", done.stdout, re.M)
        if found:
            rows[row] = float(found[1])
    return rows


def run_rows(program, scratch):
    done = subprocess.run([program], env=dict(os.environ, TMPDIR=str(scratch)), text=True,
                          capture_output=True, check=True)
    return {name: float(figure) for name, _, figure in map(str.split, done.stdout.splitlines())}


def measure(options):
    """(ksim, etcd): row to the figures of all rounds."""
    ksim, etcd = {}, {}
    with tempfile.TemporaryDirectory(prefix="ksim-peers-", dir=options.memory) as folder:
        scratch = pathlib.Path(folder)
        tests, rows = build_peers(options.go, scratch)
        for _ in range(options.rounds):
            for into, found in ((ksim, run_ksim(options.bench)),
                                (etcd, run_package(tests, scratch)),
                                (etcd, run_rows(rows, scratch))):
                for name, figure in found.items():
                    into.setdefault(name, []).append(figure)
    return ksim, etcd


def spread(figures):
    return (max(figures) / min(figures) - 1) * 100


def table(ksim, etcd):
    """Prints a row for each measurement; the number of goals missed."""
    missed = 0
    print(f"| {'row':<22} | {'ksim':>11} | {'etcd':>11} | {'ratio':>7} | goal | spread |")
    print(f"|{'-' * 24}|{'-' * 12}:|{'-' * 12}:|{'-' * 8}:|-----:|-------:|")
    for name, ours in ksim.items():
        unit = " B" if name.startswith("memory") else " ns"
        theirs = etcd.get(name)
        ratio = min(theirs) / min(ours) if theirs else None
        goal = GOALS.get(name)
        missed += bool(goal and ratio and ratio < goal)
        print(f"| {name + (' *' if name in UNFAIR else ''):<22} | {min(ours):>8,.0f}{unit:<3} "
              f"| {f'{min(theirs):,.0f}' + unit if theirs else '-':>11} "
              f"| {f'{ratio:.1f}' if ratio else '-':>7} | {f'{goal}' if goal else '':>4} "
              f"| {max(spread(ours), spread(theirs or ours)):>4.0f} % |")
    print("\n* not to be boasted with: etcd 3.4 copies its read buffer, or pauses on purpose\n")
    return missed


def laws(ksim):
    """Prints what must hold within ksim; how much of it does not."""
    broken = 0
    for text, row, base, bound in LAWS:
        figure = min(ksim[row]) / (min(ksim[base]) if base else 1)
        broken += figure > bound
        print(f"{text}: {figure:.{2 if base else 0}f} (at most {bound})")
    return broken


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", maxsplit=1)[0][7:])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bench", type=pathlib.Path,
                        default=ROOT / "build/bench/bench/store_bench")
    parser.add_argument("--go", default="go")
    options = parser.parse_args()
    if not options.bench.exists():
        parser.error(f"{options.bench} is not there; cmake --build --preset bench makes it")
    if not shutil.which(options.go) or not MVCC.is_dir():
        parser.error("Go or golang-etcd-server-dev is missing")
    options.memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ksim, etcd = measure(options)
    version = subprocess.run([options.go, "version"], capture_output=True, text=True, check=True)
    print(f"etcd 3.4 in process, {version.stdout.split()[2]}, database in "
          f"{options.memory or 'TMPDIR'}; {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, "
          f"least of {options.rounds} rounds, per operation\n")
    return 1 if table(ksim, etcd) + laws(ksim) else 0


if __name__ == "__main__":
    sys.exit(main())
