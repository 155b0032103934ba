"""tools/coverage counts each line once and sees those that no test reaches."""
import importlib.machinery
import importlib.util
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("coverage_tool", str(ROOT / "tools/coverage"))
spec = importlib.util.spec_from_loader(loader.name, loader)
coverage = importlib.util.module_from_spec(spec)
loader.exec_module(coverage)

HEADER = """#pragma once
template <class T>
T Twice(T x) {
  if (x > 100) {
    return x;
  }
  return x + x;
}
"""
ONE = """#include "ksim/base/twice.h"
int One() {
  return Twice(1);
}
int Never() {
  return 2;
}
"""
UNTOUCHED = """int Untouched() {
  return 3;
}
"""
MAIN = """#include "ksim/base/twice.h"
int One();
int main() {
  return One() == 2 && Twice(1L) == 2 ? 0 : 1;
}
"""


class Coverage(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="ksim-coverage-")).resolve()
        self.addCleanup(shutil.rmtree, self.root)
        self.build = self.root / "build"
        self.build.mkdir()
        for name, text in {"include/ksim/base/twice.h": HEADER, "src/ksim/base/one.cc": ONE,
                           "src/ksim/sim/untouched.cc": UNTOUCHED, "tests/main.cc": MAIN}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        compiler = shutil.which("g++")
        (self.build / "CMakeCache.txt").write_text(f"CMAKE_CXX_COMPILER:FILEPATH={compiler}\n")
        self.compiler = compiler
        self.addCleanup(setattr, coverage, "ROOT", coverage.ROOT)
        coverage.ROOT = self.root

    def build_and_run(self, *flags):
        objects = []
        for source in ("src/ksim/base/one.cc", "src/ksim/sim/untouched.cc", "tests/main.cc"):
            objects.append(str(self.build / (pathlib.Path(source).name + ".o")))
            subprocess.run([self.compiler, "--coverage", "-fprofile-abs-path", "-O0", *flags,
                            f"-I{self.root / 'include'}", "-c", str(self.root / source),
                            "-o", objects[-1]], check=True, cwd=self.build)
        subprocess.run([self.compiler, "--coverage", objects[0], objects[2], "-o", "main"],
                       check=True, cwd=self.build)
        subprocess.run([str(self.build / "main")], check=True, cwd=self.build)

    def test_counts_lines(self):
        self.build_and_run()
        self.check()

    def test_counts_lines_of_a_build_that_hides_where_it_was_made(self):
        self.build_and_run(f"-ffile-prefix-map={self.root}/=")
        self.check()

    def check(self):
        merged = coverage.measure(self.build)
        self.assertEqual({name: sorted(n for n, count in lines.items() if count)
                          for name, lines in merged.items()},
                         {"include/ksim/base/twice.h": [3, 4, 7], "src/ksim/base/one.cc": [2, 3],
                          "src/ksim/sim/untouched.cc": []})
        self.assertEqual(sorted(merged["include/ksim/base/twice.h"]), [3, 4, 5, 7])
        self.assertEqual(sorted(merged["src/ksim/base/one.cc"]), [2, 3, 5, 6])
        self.assertEqual(sorted(merged["src/ksim/sim/untouched.cc"]), [1, 2])
        self.assertEqual(coverage.report(merged, with_files=False), 50.0)


if __name__ == "__main__":
    unittest.main()
