"""tools/determinism sees a trace that depends on what it must not, with small programs for ksim."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Each stands for `ksim run FILE --trace OUT`: it writes to $4.
PROGRAMS = {
    "good": 'cat "$2" >"$4"',
    "other": '(cat "$2"; echo more) >"$4"',
    "clock": 'date +%N >"$4"',
    "zone": '(cat "$2"; date +%Z -d @0) >"$4"',
    "locale": '(cat "$2"; echo "$LC_ALL") >"$4"',
    "place": '(cat "$2"; pwd) >"$4"',
    "argument": 'echo "$2" >"$4"',
    "home": '(cat "$2"; echo "$HOME") >"$4"',
    "verdict": 'cat "$2" >"$4"; exit 1',
    "crash": 'cat "$2" >"$4"; exit 70',
}


class Determinism(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksim-determinism-"))
        for name, line in PROGRAMS.items():
            (cls.folder / name).write_text(f"#!/bin/bash\n{line}\n")
            (cls.folder / name).chmod(0o755)
        # The programs here read no locale: an empty one saves making it.
        (cls.folder / "locales/de_DE.UTF-8").mkdir(parents=True)
        (cls.folder / "a.yaml").write_text("one\ntwo\n")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check(self, *programs, scenario="a.yaml"):
        done = subprocess.run(
            [str(ROOT / "tools/determinism"), "--locales", str(self.folder / "locales"),
             *[f"{p}={self.folder / p}" for p in programs], "--", str(self.folder / scenario)],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_equal_traces_pass(self):
        code, said = self.check("good", "good")
        self.assertEqual(code, 0, said)
        self.assertIn("a.yaml: 4 runs", said)

    def test_another_build_that_differs_is_found(self):
        code, said = self.check("good", "other")
        self.assertEqual(code, 1)
        self.assertIn("a.yaml: other differs from good", said)

    def test_two_runs_that_differ_are_found(self):
        self.assertIn("second run differs", self.check("clock")[1])

    def test_what_depends_on_its_surroundings_is_found(self):
        for program in ("zone", "locale", "place", "argument", "home"):
            with self.subTest(program):
                code, said = self.check(program)
                self.assertEqual(code, 1, said)
                self.assertIn("elsewhere differs", said)

    def test_exit_codes_are_compared(self):
        self.assertEqual(self.check("verdict", "verdict")[0], 0)
        code, said = self.check("good", "verdict")
        self.assertEqual(code, 1)
        self.assertIn("exit code 0, then 1", said)

    def test_a_run_that_fails_is_no_result(self):
        code, said = self.check("good", "crash")
        self.assertEqual(code, 2)
        self.assertIn("ended with 70", said)


if __name__ == "__main__":
    unittest.main()
