"""Campaigns that are ended by what happens to programs: a signal, a full disk, a worker that is
killed. What was found is kept and can be read; findings do not depend on who found them."""
import json
import os
import pathlib
import re
import resource
import shlex
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
SOME = "61..100"  # the strategy finds it among these
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

    def test_a_signal_that_comes_twice_is_one(self):
        """timeout(1) signals the process, and then its group."""
        process = self.start(*ENDLESS, *FINDS)
        until(lambda: self.traces())
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 1, err)
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
        ended = run(*command(self.out, "--seeds", SOME, *FINDS), preexec_fn=limit)
        self.assertEqual(ended.returncode, 1, ended.stderr)  # what was found is found
        self.assertIn("error: cannot write it: file too large", ended.stderr)
        self.assertEqual([p.name for p in pathlib.Path(self.out).iterdir()], ["campaign.json"])
        failure = self.summary()["failures"][0]
        self.assertEqual(failure["oracle"], "noOvershoot")
        self.assertIn(failure["show"], ended.stdout)
        again = run(*failure["show"].replace("ksim", KSIM, 1).split(), "--shrink-runs", "0",
                    "--out", self.out + "-again")
        self.assertEqual(again.returncode, 1)
        self.assertIn("noOvershoot", again.stdout)

    def test_the_file_is_the_same_for_any_number_of_workers(self):
        for jobs in ("1", "2"):
            run(KSIM, "fuzz", SCENARIO, "--seeds", "1..12", "--jobs", jobs, "--out", self.out,
                *FINDS_NOTHING)
            os.rename(self.out + "/campaign.json", f"{self.directory.name}/{jobs}")
        one, two = (pathlib.Path(self.directory.name, n).read_bytes() for n in ("1", "2"))
        self.assertEqual(one, two)

    def test_what_an_earlier_campaign_left_is_replaced(self):
        run(*command(self.out, "--seeds", SOME, *FINDS))
        [trace] = self.traces()
        kept = pathlib.Path(self.out, "mine")
        kept.mkdir()
        kept.joinpath("trace.jsonl").write_text("a user's own")
        run(*command(self.out, "--seeds", "1..2", *FINDS_NOTHING))
        self.assertEqual(self.summary()["failures"], [])
        self.assertFalse(trace.parent.exists())
        self.assertTrue(kept.joinpath("trace.jsonl").exists())

    def test_shards_are_merged_and_nothing_else_is(self):
        shards = [f"{self.directory.name}/{i}" for i in (1, 2)]
        for i, shard in enumerate(shards):
            run(*command(shard, "--seeds", SOME, "--shard", f"{i + 1}/2", *FINDS))
        self.out = self.directory.name + "/all of them/o"
        merged = run(KSIM, "fuzz", "merge", *shards, "--out", self.out)
        self.assertEqual(merged.returncode, 1, merged.stderr)
        [show] = [f["show"] for f in self.summary()["failures"]]
        [trace] = self.traces()
        self.assertEqual(pathlib.Path(self.out, shlex.split(show)[2]), trace)
        self.assertIn("ksim replay " + shlex.quote(str(trace)), merged.stdout)
        self.check_kept()
        other = self.directory.name + "/other"
        run(KSIM, "fuzz", "scenarios/scale.yaml", "--seeds", "1..2", "--out", other)
        broken = pathlib.Path(self.directory.name, "broken")
        broken.mkdir()
        broken.joinpath("campaign.json").write_text('{"kind":"FuzzResult"}')
        for wrong in ([*shards, shards[0]], [shards[0], other], [broken]):
            refused = run(KSIM, "fuzz", "merge", *wrong, "--out", self.directory.name + "/no")
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertFalse(pathlib.Path(self.directory.name, "no").exists())

    def test_shrink_says_how_much_is_left_and_takes_stdin(self):
        scenario = pathlib.Path("scenarios/museum/b6-rs-expectations.yaml").read_text()
        small = run(KSIM, "shrink", "-", "--shrink-runs", "0", "--out", self.out, input=scenario)
        self.assertEqual(small.returncode, 0, small.stderr)
        runs = int(re.search(r"left, after (\d+) runs", small.stdout)[1])
        self.assertLessEqual(runs, 5)
        self.assertRegex(small.stdout, r"(?m)^1 decision is left")
        self.assertIn("(1 decision)", pathlib.Path(self.out, "README.md").read_text())
        few = run(KSIM, "shrink", "-", "--shrink-runs", "20", "--out", self.out, input=scenario)
        runs = int(re.search(r"left, after (\d+) runs", few.stdout)[1])
        self.assertLessEqual(runs, 20)


if __name__ == "__main__":
    unittest.main()
