#!/usr/bin/env python3
"""Real Go programs in the simulation: the same bytes wherever they run, and what campaigns find.

usage: guests_test.py PROJECT KSIM HOST_CALLS quick|whole [TEST...]

`quick` takes two programs of Go's standard library. `whole` also takes those of client-go and
controller-runtime, and the wrong controllers of docs/examples/guests. A test is skipped, with the
reason, where Go or Wasmtime is not, or where Go's cache lacks a module: nothing is downloaded.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT, KSIM, HOST_CALLS, PART = [pathlib.Path(sys.argv[1]).resolve(),
                                   os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]),
                                   sys.argv[4]]
PROGRAMS = PROJECT / "tests/whole/guests/programs"
EXAMPLES = PROJECT / "docs/examples/guests"
WHOLE = PART == "whole"

# The seeds that a campaign needs to find each, and the oracle that tells it.
WRONG = {
    "tombstone": (40, "expect"),
    "staleread": (40, "expect"),
    "twoleaders": (40, "expect"),
    "statusloop": (40, "limit"),
    "finalizer": (200, "expect"),
}
# With --fixed each of these seeds is fine.
FIXED_SEEDS = 40


def environment(**more):
    return {**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod", **more}


def run(words, cwd, **more):
    return subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True,
                          env=environment(**more))


def why_not():
    try:
        out = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "Go is not there"
    found = re.match(r"go1\.(\d+)", out.stdout)
    if not found or int(found.group(1)) < 24:
        return f"{out.stdout.strip()} is older than Go 1.24"
    text = "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: none}\nspec:\n" \
           "  cluster: {guests: [{name: none, file: none.wasm}]}\n"
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "none.yaml").write_text(text)
        (pathlib.Path(folder) / "none.wasm").write_bytes(b"\0asm\1\0\0\0")
        told = run([KSIM, "run", "none.yaml"], folder).stderr
    return told.strip() if "tools/setup --guests" in told else None


REASON = why_not()


@unittest.skipIf(REASON, REASON)
class Guests(unittest.TestCase):
    maxDiff = None
    built = {}
    place = None

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        cls.root = pathlib.Path(cls.place.name)
        Guests.built = {}

    def build(self, package, name=None, mod=None):
        """NAME.wasm of a package, in the folder of this test's programs; made once."""
        wasm = self.root / f"{name or package.name}.wasm"
        if wasm in Guests.built:
            return wasm
        module = next(p for p in [package, *package.parents] if (p / "go.mod").exists())
        copy = self.root / f"{wasm.stem}-source"
        shutil.copytree(module, copy)
        if mod:
            shutil.copy(module / f"{mod}.mod", copy / "go.mod")
            shutil.copy(module / f"{mod}.sum", copy / "go.sum")
        done = run([KSIM, "guest", "build", copy / package.relative_to(module), "-o", wasm],
                   self.root)
        if "GOPROXY=off" in done.stderr:
            self.skipTest(f"Go's cache lacks modules of {package.name}: `go mod download` in "
                          f"{module.relative_to(PROJECT)} brings them")
        self.assertEqual(done.returncode, 0, done.stderr)
        Guests.built[wasm] = True
        return wasm

    def ksim(self, *words, cwd=None, within=(), **more):
        return run([*within, KSIM, *words], cwd or self.root,
                   **{"KSIM_GUESTS": str(self.root), **more})

    def same_everywhere(self, scenario):
        """Runs it in two environments, and replays it: the traces are the same bytes."""
        there = self.root / "there"
        there.mkdir(exist_ok=True)
        traces = [self.root / "one.jsonl", there / "other.jsonl"]
        first = self.ksim("run", scenario, "-q", "--trace", traces[0])
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        within = ["setarch", "-R"] if shutil.which("setarch") else []
        second = self.ksim("run", scenario, "-q", "--trace", traces[1], cwd=there, within=within,
                           TZ="Asia/Kathmandu", LC_ALL="C", LANG="C")
        self.assertEqual(second.stdout, first.stdout, second.stderr)
        self.assertEqual(traces[1].read_bytes(), traces[0].read_bytes())
        replayed = self.ksim("replay", traces[0], cwd=there)
        self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)

    def campaign(self, scenario, seeds, *more):
        """campaign.json, and where it lies."""
        out = self.root / f"found-{scenario.stem}{len(more)}"
        done = self.ksim("fuzz", scenario, "--seeds", f"1..{seeds}", "--out", out, "-q", *more)
        self.assertIn(done.returncode, (0, 1, 3), done.stdout + done.stderr)
        return json.loads((out / "campaign.json").read_text()), out

    def shown_again(self, out, failure):
        """A failure's scenario fails alone, and its trace is the same run again."""
        folder = out / failure["dir"]
        alone = self.ksim("run", folder / "scenario.yaml", "-q")
        code = 3 if failure["oracle"] == "limit" else 1
        self.assertEqual(alone.returncode, code, alone.stdout + alone.stderr)
        replayed = self.ksim("replay", folder / "trace.jsonl", "-q")
        self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)
        return (folder / "scenario.yaml").read_text(), alone.stdout


class Quick(Guests):
    def test_a_plain_program_is_the_same_everywhere(self):
        self.build(PROGRAMS / "plain")
        self.same_everywhere(PROGRAMS / "plain/plain.yaml")

    def test_a_bug_of_another_order_of_goroutines_is_found(self):
        self.build(PROGRAMS / "order")
        scenario = PROGRAMS / "order/order.yaml"
        nominal = self.ksim("run", scenario, "-q")
        self.assertEqual(nominal.returncode, 0, nominal.stdout)
        found, out = self.campaign(scenario, 30)
        self.assertEqual(found["exitCode"], 1)
        self.assertEqual([f["oracle"] for f in found["failures"]], ["expect"])
        failure = found["failures"][0]
        self.assertEqual(failure["steps"], 1)
        text, _ = self.shown_again(out, failure)
        only = r'overrides:\n  - answer: 2\n    key: "\d+"\n    site: reseed/order\n'
        self.assertRegex(text, only)
        self.assertNotIn("\n  faults:", text)
        story = self.ksim("run", out / failure["dir"] / "scenario.yaml")
        self.assertIn("from here on its goroutines run in another order", story.stdout)

        without, _ = self.campaign(scenario, 30, "--set", "fuzz.faults=[\"*\", \"-reseed\"]")
        self.assertEqual(without["failures"], [])

    def plain_with(self, name, env, patched, faults=()):
        """What `ksim run` tells when it has become blue: with an environment of the guest, another
        time of the patch, and faults."""
        self.build(PROGRAMS / "plain")
        path = self.root / f"{name}.yaml"
        shutil.copy(PROGRAMS / "plain/plain.yaml", path)
        blue = "{resource: configmaps/paint, where: metadata.labels.color == blue}"
        sets = [f"cluster.guests[0].env={env}", f"steps[1].at={patched}",
                f"faults=[{','.join(faults)}]", f"expect=[{{finally: {blue}}}]"]
        done = self.ksim("run", path, *(word for one in sets for word in ("--set", one)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_run_waits_for_what_comes_back_more_and_more_slowly(self):
        story = self.plain_with("late", '{NOT_BEFORE: "2025-01-01T00:05:00Z"}', "1s")
        self.assertIn("it is not 2025-01-01 00:05:00", story)

    def test_a_run_waits_for_who_is_told_that_its_watch_has_expired(self):
        story = self.plain_with("expired", "{RETRY: 65s}", "50s",
                                ["{at: 30s, expire: {client: plain, resource: configmaps}}",
                                 "{at: 30s, dropWatch: {client: plain, resource: configmaps}}"])
        self.assertIn("the version is too old", story)

    def test_two_runs_of_a_seed_are_the_same(self):
        self.build(PROGRAMS / "plain")
        found, _ = self.campaign(PROGRAMS / "plain/plain.yaml", 20, "--check-determinism", "100%")
        self.assertNotIn("determinism", [f["oracle"] for f in found["failures"]])
        self.assertEqual(found["rechecked"], 20)


@unittest.skipIf(REASON, REASON)
class SecondEngine(Guests):
    """V8 makes the host calls that Wasmtime made."""

    def compared(self, name):
        if shutil.which("node") is None:
            self.skipTest("node, the second engine, is not there")
        wasm = self.build(PROGRAMS / name)
        log = self.root / f"{name}.log"
        with open(log, "w") as out:
            done = subprocess.run([HOST_CALLS, str(PROGRAMS / name / f"{name}.yaml"), name],
                                  stdout=out, stderr=subprocess.PIPE, text=True,
                                  env=environment(KSIM_GUESTS=str(self.root)))
        self.assertEqual(done.returncode, 0, done.stderr)
        script = PROJECT / "tests/whole/guests/second_engine.mjs"
        return log, run(["node", script, wasm, log], self.root)

    def test_plain(self):
        log, done = self.compared("plain")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^\d{3,} host calls are the same")

        # Another answer to one call, and it says so.
        lines = log.read_text().splitlines()
        at = next(i for i, line in enumerate(lines)
                  if json.loads(line)["written"] and i > len(lines) // 2)
        call = json.loads(lines[at])
        call["written"] = [[place, "00" * (len(text) // 2)] for place, text in call["written"]]
        log.write_text("\n".join([*lines[:at], json.dumps(call), *lines[at + 1:]]) + "\n")
        script = PROJECT / "tests/whole/guests/second_engine.mjs"
        altered = run(["node", script, self.root / "plain.wasm", log], self.root)
        self.assertNotEqual(altered.returncode, 0, altered.stdout)

    def test_order(self):
        _, done = self.compared("order")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


@unittest.skipUnless(WHOLE, "tools/guests runs it")
class Whole(Guests):
    def test_informer_of_the_newest_client_go(self):
        self.build(PROGRAMS / "informer")
        self.same_everywhere(PROGRAMS / "informer/informer.yaml")

    def test_informer_of_client_go_0_30(self):
        self.build(PROGRAMS / "informer", name="informer-oldest", mod="oldest")
        scenario = self.root / "informer-oldest.yaml"
        text = (PROGRAMS / "informer/informer.yaml").read_text()
        scenario.write_text(text.replace("informer.wasm", "informer-oldest.wasm"))
        self.same_everywhere(scenario)

    def test_a_run_waits_for_the_answer_to_the_first_write_after_a_start(self):
        self.build(PROGRAMS / "informer", name="informer-oldest", mod="oldest")
        done = self.ksim("run", PROGRAMS / "informer/first-write.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("is answered 504 Timeout", done.stdout)

    def test_manager(self):
        self.build(PROGRAMS / "manager")
        self.same_everywhere(PROGRAMS / "manager/manager.yaml")

    def wrong(self, name):
        self.build(EXAMPLES / name)
        seeds, oracle = WRONG[name]
        scenario = EXAMPLES / name / f"{name}.yaml"
        # Two leaders also write against each other for ever, which would take long to shrink.
        found, out = self.campaign(scenario, seeds, "--shrink-runs", "100")
        mine = [f for f in found["failures"] if f["oracle"] == oracle]
        self.assertTrue(mine, found["failures"])
        self.shown_again(out, mine[0])
        fixed, _ = self.campaign(scenario, FIXED_SEEDS, "--shrink-runs", "0", "--set",
                                 "cluster.guests[0].args=[--fixed]")
        self.assertEqual(fixed["failures"], [])

    def test_wrong_tombstone(self):
        self.wrong("tombstone")

    def test_wrong_staleread(self):
        self.wrong("staleread")

    def test_wrong_twoleaders(self):
        self.wrong("twoleaders")

    def test_wrong_statusloop(self):
        self.wrong("statusloop")

    def test_wrong_finalizer(self):
        self.wrong("finalizer")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2 if WHOLE else 1)
