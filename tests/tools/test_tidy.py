"""tools/tidy looks at the files that differ, and at nothing where nothing does."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = """#!/bin/bash
echo "${@: -1}" >>"$CALLED"
"""


@unittest.skipUnless(shutil.which("clang++-19"), "no clang++-19 here")
class Tidy(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ksim tidy ")).resolve()
        self.addCleanup(shutil.rmtree, self.scratch)
        self.clone = self.scratch / "a clone"
        (self.clone / "src").mkdir(parents=True)
        shutil.copytree(ROOT / "tools", self.clone / "tools")
        for name in ("one", "two", "three"):
            (self.clone / f"src/{name}.cc").write_text("int x;\n")
        (self.clone / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.24)\nproject(x CXX)\n"
            "set(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n"
            "add_library(x src/one.cc src/two.cc src/three.cc)\n")
        (self.clone / ".gitignore").write_text("/build/\n")
        fakes = self.scratch / "fakes"
        fakes.mkdir()
        (fakes / "clang-tidy-19").write_text(CALLS)
        (fakes / "clang-tidy-19").chmod(0o755)
        self.called = self.scratch / "called"
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("KSIM_")},
            "PATH": f"{fakes}:{os.environ['PATH']}", "CALLED": str(self.called),
            "KSIM_NO_INSTALL": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.clone, env=self.environment, check=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def looked_at(self, *arguments):
        self.called.write_text("")
        done = subprocess.run([self.clone / "tools/tidy", *arguments], env=self.environment,
                              cwd="/", capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(self.called.read_text().split())

    def test_what_the_last_commit_changed(self):
        (self.clone / "src/two.cc").write_text("int y;\n")
        self.commit()
        self.assertEqual(self.looked_at(), ["src/two.cc"])

    def test_what_is_not_committed_yet(self):
        (self.clone / "src/two.cc").write_text("int y;\n")
        self.commit()
        (self.clone / "src/three.cc").write_text("int z;\n")
        self.assertEqual(self.looked_at(), ["src/three.cc", "src/two.cc"])

    def test_all_and_some(self):
        self.assertEqual(self.looked_at("--all"), ["src/one.cc", "src/three.cc", "src/two.cc"])
        self.assertEqual(self.looked_at("src/one.cc"), ["src/one.cc"])

    def test_a_finding_is_a_failure(self):
        (self.scratch / "fakes/clang-tidy-19").write_text("#!/bin/bash\nexit 1\n")
        done = subprocess.run([self.clone / "tools/tidy", "--all"], env=self.environment,
                              capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
