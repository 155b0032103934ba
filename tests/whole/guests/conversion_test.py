"""A guest that converts custom resources. Skipped where Go 1.24 or newer, or Wasmtime, is not."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

KSIM = os.path.abspath(sys.argv.pop())
PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "conversion"


def go_minor():
    try:
        out = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.match(r"go1\.(\d+)", out.stdout)
    return int(found.group(1)) if found else 0


@unittest.skipIf(go_minor() < 24, "needs Go 1.24 or newer")
class Conversion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        built = cls.ksim("guest", "build", str(PROGRAM), "-o", "conversion.wasm")
        assert built.returncode == 0, built.stderr
        cls.text = (PROGRAM / "conversion.yaml").read_text()
        (cls.root / "conversion.yaml").write_text(cls.text)
        cls.first = cls.ksim("run", "conversion.yaml", "--trace", "first.jsonl")
        if "guests need Wasmtime" in cls.first.stderr:
            raise unittest.SkipTest("needs Wasmtime: tools/setup --guests")

    @classmethod
    def ksim(cls, *words):
        return subprocess.run([KSIM, *words], capture_output=True, text=True, cwd=cls.root,
                              timeout=900)

    def run_with(self, before, after):
        self.assertIn(before, self.text)
        (self.root / "changed.yaml").write_text(self.text.replace(before, after))
        return self.ksim("run", "changed.yaml")

    def test_each_version_is_served(self):
        self.assertEqual(self.first.returncode, 0, self.first.stdout + self.first.stderr)
        self.assertIn("ball to example.com/v1", self.first.stdout)
        self.assertIn("ball to example.com/v2", self.first.stdout)
        self.assertNotIn("no guest serves", self.first.stdout + self.first.stderr)
        shown = self.ksim("get", "first.jsonl", "toys", "ball", "-o", "json")
        self.assertEqual(json.loads(shown.stdout)["spec"], {"size": 4}, shown.stdout)
        for check in ("check", "replay"):
            done = self.ksim(check, "first.jsonl")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_an_object_that_is_lost(self):
        done = self.run_with("file: conversion.wasm,", "file: conversion.wasm, args: [lose],")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("conversion webhook for example.com/v2, Kind=Toy returned 0 objects, "
                      "expected 1", done.stdout)

    def test_a_service_that_leads_nowhere(self):
        done = self.run_with("services: [default/conversion-service]", "services: []")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no guest serves service default/conversion-service, which converts "
                      "toys.example.com", done.stdout + done.stderr)
        self.assertIn("connect: connection refused", done.stdout)


if __name__ == "__main__":
    unittest.main()
