#!/usr/bin/env python3
"""The wrong controllers of programs/wrong: a campaign finds each, its README names the step, its
trace replays, and the one that does it rightly is silent.

usage: wrong_test.py KSIM [TEST...]

Skipped where Go 1.24 or newer, Wasmtime, or a module in Go's cache is not: nothing is downloaded.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

KSIM = os.path.abspath(sys.argv[1])
PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "wrong"
# Over so many seeds the right ones are silent.
RIGHT_SEEDS = 8


def run(*words, cwd):
    return subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True,
                          env={**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod"})


def go_minor():
    try:
        out = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.match(r"go1\.(\d+)", out.stdout)
    return int(found.group(1)) if found else 0


@unittest.skipIf(go_minor() < 24, "needs Go 1.24 or newer")
class Wrong(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        for file in PROGRAM.glob("*.yaml"):
            (cls.root / file.name).write_text(file.read_text())
        built = run(KSIM, "guest", "build", PROGRAM, "-o", "wrong.wasm", cwd=cls.root)
        if "GOPROXY=off" in built.stderr:
            raise unittest.SkipTest("Go's cache lacks modules: `go mod download` in programs/wrong")
        assert built.returncode == 0, built.stderr
        first = cls.ksim("run", "swallow.yaml", "-q")
        if "guests need Wasmtime" in first.stderr:
            raise unittest.SkipTest("needs Wasmtime: tools/setup --guests")

    @classmethod
    def ksim(cls, *words):
        return run(KSIM, *words, cwd=cls.root)

    def campaign(self, name, seeds, *more):
        out = self.root / f"found-{name}-{len(more)}"
        done = self.ksim("fuzz", f"{name}.yaml", "--seeds", seeds, "--out", out, "-q",
                         "--shrink-runs", "80", *more)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return json.loads((out / "campaign.json").read_text()), out

    def found(self, name, seeds, oracle, step, alone=True):
        """Without a fault it is right, a campaign over `seeds` finds it, and tells the step."""
        nominal = self.ksim("run", f"{name}.yaml", "-q")
        self.assertEqual(nominal.returncode, 0, nominal.stdout + nominal.stderr)
        campaign, out = self.campaign(name, seeds)
        failures = [f for f in campaign["failures"] if f["oracle"] == oracle]
        self.assertTrue(failures, campaign["failures"])
        folder = out / failures[0]["dir"]
        self.assertRegex((folder / "README.md").read_text(), step)
        again = self.ksim("replay", folder / "trace.jsonl", "-q")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        if alone:
            alone = self.ksim("run", folder / "scenario.yaml", "-q")
            self.assertEqual(alone.returncode, 1, alone.stdout + alone.stderr)

        args = f"cluster.guests[0].args=[--controller={name}, --right]"
        silent, _ = self.campaign(name, f"1..{RIGHT_SEEDS}", "--set", args)
        self.assertEqual(silent["failures"], [])

    def test_absence(self):
        self.found("absence", "1..5", "expect", r"`records` deletes configmaps/default/db-record")

    def test_byname(self):
        self.found("byname", "1..10", "expect", r"`tokens` deletes configmaps/default/token")

    def test_cachewrite(self):
        self.found("cachewrite", "17..23", "expect", r"`tiers` updates configmaps/default/")

    def test_clock(self):
        self.found("clock", "21..30", "invariant.a-minute-long",
                   r"`sessions` deletes configmaps/default/alice", alone=False)

    def test_force(self):
        self.found("force", "1..5", "expect",
                   r"`sets` patches replicasets/default/web .* is written .*spec.replicas: 2",
                   alone=False)

    def test_ports(self):
        self.found("ports", "1..3", "invariant.its-own-port",
                   r"`ports` updates configmaps/default/")

    def test_swallow(self):
        self.found("swallow", "25..30", "expect",
                   r"`teams` creates configmaps/default .*is answered 500")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
