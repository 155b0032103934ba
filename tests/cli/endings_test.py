"""How the program ends by what happens to it: a signal, memory that runs out. What was found is
told, nothing half written stays, and the exit code says which it was."""
import fcntl
import json
import os
import pathlib
import pty
import resource
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

KSIM = os.path.abspath(sys.argv.pop())
SCENARIO = pathlib.Path("scenarios/replicaset.yaml").read_text()
# No machine comes to its end within the patience of a test: a second takes some 150 hours.
LONG = SCENARIO.replace(
    "spec:\n", "spec:\n  until: 20000h\n  limit: {time: 30000h, events: 20G}\n", 1)
FAILS = """apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: fails}
spec:
  steps: [{at: 0s, scale: {resource: rs/no, replicas: 2}}]
"""
PATIENCE = 20
MEMORY = 200 << 20


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def wait_until_it_catches(process, number):
    """A signal that comes before its handler ends the program at once, on a busy machine."""
    status = pathlib.Path(f"/proc/{process.pid}/status")
    until = time.monotonic() + 2  # some commands never catch it
    while process.poll() is None and time.monotonic() < until:
        try:
            caught = next(int(line.split()[1], 16) for line in status.read_text().splitlines()
                          if line.startswith("SigCgt:"))
        except (OSError, StopIteration):
            return
        if caught >> (number - 1) & 1:
            return
        time.sleep(0.01)


class Endings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.long, self.fails = str(self.folder / "long.yaml"), str(self.folder / "fails.yaml")
        pathlib.Path(self.long).write_text(LONG)
        pathlib.Path(self.fails).write_text(FAILS)

    def signalled(self, args, number=signal.SIGINT, after=1.0):
        """Code, stdout and stderr of a program that got a signal and had no end of its own."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        process = subprocess.Popen([KSIM, *args], stdin=reader, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            wait_until_it_catches(process, number)
            time.sleep(after)
            self.assertIsNone(process.poll(), args)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        return process.returncode, out, err

    def test_who_waits_for_input_ends_at_once(self):
        for args in (["get", "-", "pods"], ["replay", "-"], ["check", "-"], ["run", "-"],
                     ["validate", "-"], ["store", "replay", "-"], ["diff", "-", "b.jsonl"],
                     ["shrink", "-"]):
            with self.subTest(args=args):
                self.assertEqual(self.signalled(args, after=0.3), (130, "", ""))
        self.assertEqual(self.signalled(["replay", "-"], signal.SIGTERM, 0.3)[0], 143)
        self.assertEqual(self.signalled(["replay", "-", "--bisect"], after=0.3)[0], 125)

    def test_a_run_writes_what_there_is(self):
        trace = self.folder / "traces" / "t.jsonl"
        trace.parent.mkdir()
        code, out, _ = self.signalled(["run", self.long, "-q", "--trace", str(trace)])
        self.assertEqual(code, 130)
        self.assertTrue(out.startswith("interrupted: "), out)
        self.assertEqual([f.name for f in trace.parent.iterdir()], ["t.jsonl"])
        with trace.open() as lines:
            *_, last = lines
        self.assertEqual(json.loads(last)["end"]["result"], "interrupted")

    # A trace is written as the run goes.
    def test_a_run_that_is_killed_leaves_a_cut_trace(self):
        for name in ("t.jsonl", "t.ktrace"):
            with self.subTest(name=name):
                trace = str(self.folder / name)
                code, _, _ = self.signalled(["run", self.long, "-q", "--trace", trace],
                                            signal.SIGKILL)
                self.assertEqual(code, -signal.SIGKILL)
                r = subprocess.run([KSIM, "replay", trace, "--until", "1000"], capture_output=True,
                                   text=True, timeout=PATIENCE, check=False)
                self.assertEqual(r.returncode, 6, r.stderr)
                self.assertIn("replayed 1000 of ", r.stdout)
                self.assertIn("cut ", r.stderr)
                self.assertIn("the last line (digest and result) is missing", r.stderr)

    def test_a_violation_that_was_found_wins_whoever_is_first(self):
        for files in ([self.long, self.fails], [self.fails, self.long]):
            with self.subTest(files=files):
                code, out, err = self.signalled(["run", *files, "--jobs", "2"], after=2.0)
                self.assertEqual(code, 1)
                self.assertIn("fails: stepFailed: ", out)
                self.assertIn("replicaset: interrupted: ", out)
                self.assertEqual(err.count("error: step 1: "), 1, err)

    def test_a_tree_has_each_run_that_was_begun(self):
        code, out, err = self.signalled(["run", self.long, self.fails, "--jobs", "2", "-o", "json"],
                                        signal.SIGTERM, after=2.0)
        self.assertEqual(code, 1, err)
        runs = json.loads(out)["items"]
        self.assertEqual([(r["result"], r["exitCode"]) for r in runs],
                         [("interrupted", 143), ("stepFailed", 1)])

    def test_a_run_says_at_once_that_it_heard(self):
        process = subprocess.Popen([KSIM, "run", self.long, "-q"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stderr.readline(),
                         "interrupted: what there is so far follows; another signal ends at once\n")
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, err), (130, ""))
        self.assertTrue(out.startswith("interrupted: "), out)

    def test_workers_leave_that_to_their_parent(self):
        _, _, err = self.signalled(["run", self.long, self.long, "--jobs", "2"], after=2.0)
        self.assertEqual(err.count("interrupted: what there is so far follows"), 1, err)

    # The cluster is being made, is being started, or has no event of its own yet.
    def test_a_large_cluster_ends_as_soon(self):
        large = self.folder / "large.yaml"
        large.write_text(LONG.replace("cluster:\n", "cluster:\n    apiServers: 1000\n", 1))
        for after in (0.1, 0.5, 2.0):
            with self.subTest(after=after):
                began = time.monotonic()
                code, out, _ = self.signalled(["run", str(large)], signal.SIGTERM, after)
                self.assertEqual(code, 143)
                self.assertIn("interrupted: ", out)
                self.assertLess(time.monotonic() - began - after, PATIENCE / 4)

    # A long run has a line on a terminal, which fits it and is gone in the end; a pipe has none.
    def test_progress_is_for_terminals(self):
        _, _, err = self.signalled(["run", self.long, "-q"], signal.SIGTERM, 1.5)
        self.assertNotIn("events", err)
        for columns in (24, 200):
            with self.subTest(columns=columns):
                shown = self.on_a_terminal(["run", self.long, "-q"], columns)
                line, _, after = shown.rpartition("\r\x1b[K")
                self.assertEqual(after, "interrupted: what there is so far follows; another signal "
                                 "ends at once\r\n")
                texts = [t for t in line.split("\r\x1b[K") if t]
                self.assertGreater(len(texts), 2, shown)
                self.assertTrue(all(len(t) < columns for t in texts), texts)
                self.assertRegex(texts[-1], r"^replicaset: \d" if columns == 24 else
                                 r"^replicaset: [0-9hms.]+ of 20000h0m0s, [0-9,]+ events$")
        short = ["run", "scenarios/replicaset.yaml", "-q"]
        self.assertEqual(self.on_a_terminal(short, 80, None), "")

    # The program's stderr where that is a terminal; it gets a signal after 2 s.
    def on_a_terminal(self, args, columns, number=signal.SIGINT):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([KSIM, *args], stdin=subprocess.DEVNULL, stderr=theirs,
                                   stdout=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        shown = b""
        end = time.monotonic() + PATIENCE
        signal_at = time.monotonic() + 2.0
        while time.monotonic() < end:
            if number is not None and time.monotonic() >= signal_at:
                process.send_signal(number)
                number = None
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    shown += os.read(ours, 4096)
                except OSError:  # the other end is closed
                    break
        process.wait(timeout=PATIENCE)
        return shown.decode()

    def test_shrink_says_nothing_of_a_run_that_it_did_not_see_the_end_of(self):
        out = self.folder / "out"
        self.assertEqual(self.signalled(["shrink", self.long, "--out", str(out)]), (130, "", ""))
        self.assertFalse(out.exists())

    def test_out_of_memory_is_undecided(self):
        alone = subprocess.run([KSIM, "version"], preexec_fn=little_memory, check=False,
                               capture_output=True)
        if alone.returncode != 0:
            self.skipTest("a sanitizer wants more than that to begin with")
        large = self.folder / "large.yaml"  # a long run takes no more than a short one
        large.write_text(LONG.replace("nodes: 3", "nodes: 5000", 1))
        for files in ([str(large)], [str(large), self.fails, "--jobs", "2"]):
            with self.subTest(files=files):
                r = subprocess.run([KSIM, "run", "-q", *files], preexec_fn=little_memory,
                                   capture_output=True, text=True, timeout=PATIENCE, check=False)
                self.assertEqual(r.returncode, 6 if len(files) == 1 else 1, r.stderr)
                self.assertIn("error: out of memory\n", r.stderr)
                self.assertNotIn("bug", r.stderr)


if __name__ == "__main__":
    unittest.main()
