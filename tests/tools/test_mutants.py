"""tools/mutants refuses rows that fit the sources no more, and knows a test by its pattern."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "mutants"
loader = importlib.machinery.SourceFileLoader("mutants_tool", str(TOOL))
spec = importlib.util.spec_from_loader(loader.name, loader)
mutants = importlib.util.module_from_spec(spec)
loader.exec_module(mutants)

# This file must cite no id: "@" stands for the area of one that does not exist.
ROW = {"id": "@901", "takes_out": "the sum", "file": "src/ksim/base/a.cc", "old": "a + b",
       "new": "a - b", "test": "base_test", "filter": "*Sum.OfTwo/*"}


def ids(text):
    return text.replace("@", "CTRL-ZZ-")


class MutantsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.write("docs/requirements/x.md", "### @901 · MUST\n\nIt holds.\n\nSource: a.go F\n")
        self.write("src/ksim/base/a.cc", "int Sum(int a, int b) { return a + b; }\n")
        self.write("tests/base/CMakeLists.txt",
                   "ksim_test(base_test\n  SRCS a_test.cc ../b_test.cc\n  DEPS base)\n")
        self.write("tests/base/a_test.cc", "TEST_P(Sum, OfTwo) {}\n")
        self.write("tests/b_test.cc", "TEST(Other, One) {}\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(ids(text), encoding="utf-8")

    def expect(self, *wanted, **changed):
        row = {**ROW, **changed}
        text = "".join(f"{name} = '''{value}'''\n" for name, value in row.items()
                       if value is not None)
        self.write("tools/mutants.d/x.toml", "[[mutant]]\n" + text)
        found = mutants.Rows(self.root).check()
        self.assertEqual(len(found), len(wanted), found)
        for problem, text in zip(found, wanted):
            self.assertIn(ids(text), problem)

    def test_a_row_that_fits(self):
        self.expect()
        self.expect(filter="*Sum.*:Other.One")

    def test_old_text_must_stand_there_once(self):
        self.expect("its old text stands 0 times", old="a * b")
        self.write("src/ksim/base/a.cc", "int Twice(int a, int b) { return a + b + a + b; }\n")
        self.expect("its old text stands 2 times")

    def test_what_a_row_names_must_be_there(self):
        self.expect("@902 has no entry", id=ids("@902"))
        self.expect("is no .cc file of src", file="src/ksim/base/gone.cc")
        self.expect("is no .cc file of src", file="tests/base/a_test.cc")
        self.expect("no test program gone_test", test="gone_test")
        self.expect("base_test has no test Sum.OfThree", filter="Sum.OfThree")
        self.expect("it takes nothing out", new="a + b")

    def test_a_row_is_whole(self):
        self.expect("lacks or does not know: new", new=None)
        self.expect("lacks or does not know: line", line="7")
        self.write("tools/mutants.d/x.toml", "[[mutant]\n")
        self.assertEqual(len(mutants.Rows(self.root).check()), 1)

    def test_patterns_of_googletest(self):
        for pattern in ("A.B", "A.*", "*A.B", "*A.B/*", "*/A.B/2", "*A.*"):
            self.assertTrue(mutants.fits(pattern, "A.B"), pattern)
        for pattern in ("A.C", "B.*", "A"):
            self.assertFalse(mutants.fits(pattern, "A.B"), pattern)

    def test_the_mutated_text(self):
        mutant = mutants.Mutant("here", ROW)
        self.assertEqual(mutant.text(self.root), "int Sum(int a, int b) { return a - b; }\n")


if __name__ == "__main__":
    unittest.main()
