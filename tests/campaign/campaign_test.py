"""Campaigns that are ended by what happens to programs: a signal, a full disk, a worker that is
killed. What was found is kept and can be read; findings do not depend on who found them."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

KSIM = os.path.abspath(sys.argv.pop())
SCENARIO = "scenarios/replicaset.yaml"  # it overshoots, as Kubernetes 1.30 does
FINDS = ["--strategy", "random", "--shrink-runs", "0"]
FINDS_NOTHING = ["--set", "checks=[store.linearizable]", "--set", "expect=[]"]
ENDLESS = ["--seeds", "1..100000000"]
PATIENCE = 240


def command(out, *flags):
    return [KSIM, "fuzz", SCENARIO, "--jobs", "2", "--out", out, *flags]


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, timeout=PATIENCE, **more)


def until(condition):
    """Polls: what is waited for is another process's doing."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("it did not come")
        time.sleep(0.05)


def workers(of):
    """The children of a process that this test started."""
    out = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == of:
            out.append(int(entry.parent.name))
    return out


class Campaign(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="ksim-campaign-")
        self.addCleanup(self.directory.cleanup)
        self.out = self.directory.name + "/found"

    def start(self, *flags):
        process = subprocess.Popen(command(self.out, *flags), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def summary(self):
        return json.loads(pathlib.Path(self.out, "campaign.json").read_text())

    def traces(self):
        return sorted(pathlib.Path(self.out).glob("*/trace.jsonl"))

    def check_kept(self):
        """Each finding is whole: it says what broke, and its trace replays."""
        self.assertTrue(self.traces())
        for trace in self.traces():
            self.assertIn("noOvershoot", (trace.parent / "README.md").read_text())
            self.assertEqual(run(KSIM, "validate", trace.parent / "scenario.yaml").returncode, 0)
            replay = run(KSIM, "replay", trace)
            self.assertEqual(replay.returncode, 0, replay.stderr)
        leftovers = [p for p in pathlib.Path(self.out).rglob("*")
                     if p.is_file() and p.suffix not in (".yaml", ".jsonl", ".md", ".json")]
        self.assertEqual(leftovers, [])

    def test_a_signal_ends_it_with_what_was_found(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.out = f"{self.directory.name}/{number.name}"
            process = self.start(*ENDLESS, *FINDS)
            until(lambda: self.traces())
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 1, err)  # a violation already found wins
            self.assertIn("noOvershoot", out)
            self.assertTrue(self.summary()["interrupted"])
            self.check_kept()

    def test_a_signal_before_anything_was_found(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            self.out = f"{self.directory.name}/{number.name}"
            process = self.start(*ENDLESS, *FINDS_NOTHING)
            until(lambda: workers(process.pid))
            time.sleep(0.5)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, code, err)
            self.assertTrue(self.summary()["interrupted"])
            self.assertEqual(self.summary()["failures"], [])

    def test_a_killed_worker_changes_nothing(self):
        seeds = ["--seeds", "1..120", "-o", "json", *FINDS]
        alone = json.loads(run(*command(self.out + "-alone", *seeds)).stdout)
        process = self.start(*seeds)
        until(lambda: len(workers(process.pid)) == 2)
        os.kill(workers(process.pid)[0], signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, err)
        found = json.loads(out)
        for field in ("runs", "events", "faults", "lastSeed"):
            self.assertEqual(found[field], alone[field], field)
        told = lambda r: [(f["oracle"], f["place"], f["seed"], f["count"]) for f in r["failures"]]
        self.assertEqual(told(found), told(alone))
        self.check_kept()

    def test_a_full_disk_is_told_and_leaves_nothing_half_written(self):
        # No file may grow beyond 16 KiB: the trace does not fit, its neighbours do.
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))
        ended = run(*command(self.out, "--seeds", "1..40", *FINDS), preexec_fn=limit)
        self.assertEqual(ended.returncode, 1, ended.stderr)  # what was found is found
        self.assertIn("error: cannot write it: file too large", ended.stderr)
        self.assertEqual(self.traces(), [])
        failure = self.summary()["failures"][0]
        self.assertEqual(failure["oracle"], "noOvershoot")
        self.assertIn(failure["show"], ended.stdout)
        again = run(*failure["show"].replace("ksim", KSIM, 1).split(), "--shrink-runs", "0",
                    "--out", self.out + "-again")
        self.assertEqual(again.returncode, 1)
        self.assertIn("noOvershoot", again.stdout)


if __name__ == "__main__":
    unittest.main()
