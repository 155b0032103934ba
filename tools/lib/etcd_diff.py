"""usage: etcd-diff [--seeds A..B] [--ops N] [--jobs N] [--keep DIR] [--etcd PROGRAM]
                 [--ksim PROGRAM] [--script OPS.jsonl]

Draws a script of N operations (default 500) for each seed (default 1..20), runs it against a real
etcd and against `ksim store replay`, and compares the results. The first difference of a script is
shown, with the script shrunk to the operations that matter; --keep writes those to a directory, as
OPS and RESULTS of the real etcd. With --script, a script that is there.

Without --ksim, ksim is built first; without --etcd, etcd is that of Debian's etcd-server, installed
if need be (KSIM_NO_INSTALL=1 forbids it). Exit code 0: all equal; 1: there are differences;
2: wrong usage; 69: something could not be installed or built.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

from op_generator import Generator
from op_recorder import Recorder
from real_etcd import Etcd, EtcdError


def to_line(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def generate(etcd_program, seed, size):
    """(operations, results of a real etcd)"""
    generator, ops, results = Generator(seed), [], []
    with Etcd(etcd_program) as etcd:
        recorder = Recorder(etcd)
        try:
            while len(ops) < size:
                ops.append(generator.next())
                results.append(recorder.step(ops[-1]))
                generator.observe(ops[-1], results[-1])
        finally:
            recorder.close()
    return ops, results


def record(etcd_program, ops):
    with Etcd(etcd_program) as etcd:
        recorder = Recorder(etcd)
        try:
            return [recorder.step(op) for op in ops]
        finally:
            recorder.close()


def replay(ksim_program, ops):
    script = "".join(to_line(op) + "\n" for op in ops)
    done = subprocess.run([ksim_program, "store", "replay", "-"], input=script.encode(),
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise EtcdError(f"ksim store replay ended with {done.returncode}:\n{done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def first_difference(ops, expected, found):
    """The position of the first result that differs; None if there is none."""
    if len(ops) != len(found):
        return min(len(ops), len(found))
    for position, (a, b) in enumerate(zip(expected, found)):
        if to_line(a) != to_line(b):
            return position
    return None


def usable(ops):
    """Without operations on watches that are not opened any more."""
    opened, kept = set(), []
    for op in ops:
        if op["op"] == "watch_open":
            opened.add(op["w"])
        elif op["op"].startswith("watch_") and op["w"] not in opened:
            continue
        kept.append(op)
    return kept


def shrink(ops, still_differs):
    """The fewest operations found for which still_differs(ops) holds, as it does for all."""
    size = max(1, len(ops) // 2)
    while True:
        at, removed = 0, False
        while at < len(ops):
            candidate = usable(ops[:at] + ops[at + size:])
            if len(candidate) < len(ops) and still_differs(candidate):
                ops, removed = candidate, True
            else:
                at += size
        if size == 1 and not removed:
            return ops
        size = max(1, size // 2)


class Comparison:
    def __init__(self, arguments):
        self.etcd, self.ksim = arguments.etcd, arguments.ksim
        self.keep = arguments.keep

    def of_seed(self, seed, size):
        return self.judge(f"seed {seed}", *generate(self.etcd, seed, size))

    def of_script(self, path):
        ops = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        return self.judge(path.name, ops, record(self.etcd, ops))

    def judge(self, name, ops, expected):
        """(operations compared, "" or what differs)"""
        at = first_difference(ops, expected, replay(self.ksim, ops))
        return len(ops), "" if at is None else self.explain(name, ops, at)

    def explain(self, name, ops, at):
        """The smallest script that still differs in the same operation."""
        if at >= len(ops):
            return f"{name}: ksim gave another number of results"
        culprit = ops[at]["i"]

        def still_differs(candidate):
            expected, found = record(self.etcd, candidate), replay(self.ksim, candidate)
            position = first_difference(candidate, expected, found)
            return position is not None and candidate[position]["i"] == culprit

        small = ops[:at + 1]
        if still_differs(small):  # else it differs only sometimes: show all
            small = shrink(small, still_differs)
        expected, found = record(self.etcd, small), replay(self.ksim, small)
        at = first_difference(small, expected, found)
        lines = [f"{name}: operation {culprit} differs; {len(small)} operations are enough:"]
        lines += ["  " + to_line(op) for op in small]
        if at is None:
            return "\n".join(lines + ["  (not every time: etcd itself answers differently)"])
        if self.keep:
            self.write(name.replace(" ", "-"), small, expected)
        lines += ["  etcd: " + to_line(expected[at]), "  ksim: " + to_line(found[at])]
        return "\n".join(lines)

    def write(self, name, ops, results):
        ops = [dict(op, i=n) for n, op in enumerate(ops)]
        results = [dict(result, i=n) for n, result in enumerate(results)]
        for kind, lines in (("ops", ops), ("results", results)):
            path = self.keep / f"{name}.{kind}.jsonl"
            path.write_text("".join(to_line(line) + "\n" for line in lines), "utf-8")


def parse(arguments):
    usage = __doc__.split("\n\n", maxsplit=1)[0].removeprefix("usage: ")
    parser = argparse.ArgumentParser(prog="etcd-diff", usage=usage)
    parser.add_argument("--seeds", default="1..20")
    parser.add_argument("--ops", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--script", type=pathlib.Path)
    parser.add_argument("--etcd", default="etcd")
    parser.add_argument("--ksim", required=True)
    options = parser.parse_args(arguments)
    first, _, last = options.seeds.partition("..")
    try:
        options.seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        parser.error(f"--seeds {options.seeds}: want A..B")
    if not options.seeds or options.ops < 1 or options.jobs < 1:
        parser.error("nothing to do")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    return options


def main(arguments):
    options = parse(arguments)
    comparison = Comparison(options)
    with Etcd(options.etcd) as etcd:
        version = etcd.version()
    begun, total, bad = time.monotonic(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if options.script:
            jobs = [pool.submit(comparison.of_script, options.script)]
        else:
            jobs = [pool.submit(comparison.of_seed, seed, options.ops) for seed in options.seeds]
        for job in concurrent.futures.as_completed(jobs):
            size, difference = job.result()
            total += size
            if difference:
                bad += 1
                print(difference, flush=True)
    print(f"etcd {version}: {len(jobs)} scripts, {total} operations, {bad} scripts differ, "
          f"{time.monotonic() - begun:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except EtcdError as error:
        print(f"etcd-diff: {error}", file=sys.stderr)
        sys.exit(70)
