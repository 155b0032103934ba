#!/usr/bin/env python3
"""Measures `ksim serve` and real kube-apiservers under the same load, in one run.

usage: bench/peers/serve.py [--ksim FILE] [--seconds N] [VERSION...]
  --ksim FILE  default build/release/bin/ksim, as tools/ksim builds it
  --seconds N  how long each load lasts; default 8
  VERSION      1.30.14, 1.36.3: a kube-apiserver, built from its Go module into build/kubernetes,
               with Debian's etcd; each has ksim beside it, at the same version

A row: the time from start to the first answer; gets of one object over 16 connections; 1,000
watches that are told of 100 writes a second each; each with the CPU time of server (and etcd),
which other work on the machine does not change much; the memory at the end. As root, everything
measured runs before other work (chrt). Needs go.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/lib"))

from api_servers import Ksim, RealApiServer  # noqa: E402

FIRST = ["chrt", "--rr", "10"] if os.geteuid() == 0 and shutil.which("chrt") else []


def cpu_seconds(pids):
    """The CPU time of processes so far."""
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(pids):
    """Their resident memory in MB."""
    pages = sum(int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def raise_priority(pids):
    for pid in pids if FIRST else ():
        subprocess.run(["chrt", "--all-tasks", "--rr", "--pid", "20", str(pid)], check=True)


def load(program, server, kind, token, pids, *arguments):
    before = cpu_seconds(pids)
    done = subprocess.run([*FIRST, program, kind, server, token, *map(str, arguments)], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout), cpu_seconds(pids) - before


def row(name, started, program, server, token, pids, seconds):
    raise_priority(pids)
    gets, gets_cpu = load(program, server, "gets", token, pids, 16, seconds)
    told, told_cpu = load(program, server, "watches", token, pids, 1000, seconds, 100)
    print(f"| {name:22} | {started * 1000:8.0f} ms | {gets['gets'] / gets['seconds']:7,.0f} "
          f"| {gets_cpu / gets['gets'] * 1e6:6.0f} us | {told['told'] / told['seconds']:8,.0f} "
          f"| {told_cpu / told['seconds'] * 100:5.0f} % | {told['slowestWrite'] * 1000:5.0f} ms "
          f"| {memory(pids):5.0f} MB |", flush=True)


def time_to_answer(make):
    """The server, entered, and the seconds until it answered."""
    begun = time.monotonic()
    server = make().__enter__()
    server.send("GET", "/version", {}, None)
    return server, time.monotonic() - begun


def measure_ksim(program, ksim, version, seconds):
    compat = version.rsplit(".", 1)[0]
    starts = []
    for _ in range(9):
        server, started = time_to_answer(lambda: Ksim(ksim, compat))
        starts.append(started)
        if len(starts) < 9:
            server.__exit__()
    url = f"http://{server.client.connect().host}:{server.client.connect().port}"
    row(f"ksim, {compat}", statistics.median(starts), program, url, "", [server.process.pid],
        seconds)
    server.__exit__()


def measure_real(program, kube_apiserver, version, seconds):
    server, started = time_to_answer(lambda: RealApiServer(kube_apiserver, "etcd"))
    connection = server.client.connect()
    row(f"kube-apiserver {version}", started, program, f"https://127.0.0.1:{connection.port}",
        "admin", [server.process.pid, server.etcd.process.pid], seconds)
    server.__exit__()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ksim", default=str(ROOT / "build/release/bin/ksim"))
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("versions", nargs="*", default=["1.30.14"])
    options = parser.parse_args()
    for program in ("go", "etcd"):
        if not shutil.which(program):
            print(f"bench/peers/serve.py: there is no {program}", file=sys.stderr)
            return 69
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "load"
        subprocess.run(["go", "build", "-o", program, "."], cwd=ROOT / "bench/peers/load",
                       check=True)
        print("| server                 | 1st answer  |  gets/s | CPU/get   | told/s   "
              "| CPU     | slowest  | memory   |\n"
              "|------------------------|------------:|--------:|----------:|---------:"
              "|--------:|---------:|---------:|")
        for version in options.versions:
            home = ROOT / "build/kubernetes" / version
            if not (home / "kube-apiserver").exists():
                subprocess.run([ROOT / "tools/lib/kubernetes-programs", version, home,
                                "kube-apiserver"], check=True, stdout=subprocess.DEVNULL)
            measure_ksim(program, options.ksim, version, options.seconds)
            measure_real(program, home / "kube-apiserver", version, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
