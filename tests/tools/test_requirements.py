"""tools/requirements finds ids without an entry, entries that stand twice, and untested MUSTs."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "requirements"
loader = importlib.machinery.SourceFileLoader("requirements_tool", str(TOOL))
spec = importlib.util.spec_from_loader(loader.name, loader)
requirements = importlib.util.module_from_spec(spec)
loader.exec_module(requirements)


def ids(text):
    """Puts ids into the text. This file must cite none itself: "@901" stands for one of an area
    that does not exist, and "STO~RE-12" for one that does."""
    return text.replace("@", "CTRL-ZZ-").replace("~", "")


def entry(number, level="MUST", text="It holds.", source="Source: a.go F"):
    return ids(f"### @{number} · {level}\n\n{text}\n\n{source}\n\n")


class RequirementsTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(ids(text), encoding="utf-8")

    def problems(self):
        return requirements.Requirements(self.root).check()

    def expect(self, *wanted):
        found = self.problems()
        self.assertEqual(len(found), len(wanted), found)
        for problem, text in zip(found, wanted):
            self.assertIn(ids(text), problem)

    def test_all_is_well(self):
        self.write("docs/requirements/x.md", "# X\n\n" + entry(901) + entry(902, "SHOULD"))
        self.write("src/a.cc", "// @901, 902.\n")
        self.write("tests/a.cc", "// @901\n")
        self.expect()

    def test_id_without_entry(self):
        self.write("docs/requirements/x.md", entry(901, "SHOULD"))
        for path in ("src/a.h", "include/a.h", "tests/a.py", "tools/a", "bench/a.cc", "docs/a.md"):
            self.write(path, "\n// @901 and @902\n")
            self.expect(f"{path}:2: @902 has no entry")
            (self.root / path).unlink()

    def test_ranges_and_lists(self):
        self.write("docs/requirements/x.md", entry(901, "SHOULD") + entry(903, "SHOULD"))
        for text, wanted in {
                "@901..903": {901: True, 902: False, 903: False},
                "@901 to @903": {901: True, 902: False, 903: True},
                "@901, 903": {901: True, 903: False},
                "@901/903": {901: True, 903: False},
                "@901, 100 % of it": {901: True},
                "@901, 100 of them": {901: True},
                "@901, 1000 of them": {901: True}}.items():
            found = dict(requirements.cited(ids(text)))
            self.assertEqual(found, {ids(f"@{n}"): whole for n, whole in wanted.items()}, text)
        self.write("src/a.cc", "// @901..903\n")
        self.expect()  # a range may have gaps

    def test_forms_of_ids(self):
        for text, wanted in {
                "TEST(A, CTRL_Z~Z_05_Holds)": "CTRL-Z~Z-05", "STO~RE_12": "STO~RE-12",
                "KUBELET-ST~AGE-03": "KUBELET-ST~AGE-03", "KUBELET_ST~AGE_03": "KUBELET-ST~AGE-03",
                "(G-L~T1)": "G-L~T1", "xSTO~RE-12": None, "STO~RE-1234": None,
                "STO~RE-1": None}.items():
            found = [identifier for identifier, _ in requirements.cited(ids(text))]
            self.assertEqual(found, [ids(wanted)] if wanted else [], text)

    def test_must_without_test(self):
        self.write("docs/requirements/x.md", entry(901) + entry(902, "LATER"))
        self.write("src/a.cc", "// @901\n")
        self.expect("x.md:1: no test names @901")
        self.write("tests/a.cc", "// @900..901\n")  # a test names an id whole
        self.write("docs/requirements/y.md", entry(900))
        self.expect("x.md:1: no test names @901")
        self.write("docs/requirements/untested.txt", "# Why\n\n@901: not built\n")
        self.expect()
        self.assertEqual(len(requirements.Requirements(self.root).cites[ids("@901")]), 2)

    def test_reasons(self):
        self.write("docs/requirements/x.md", entry(901) + entry(902, "SHOULD"))
        self.write("tests/a.cc", "// @901\n")
        self.write("docs/requirements/untested.txt", "@901: a\n@902: b\n@903: c\n@904\n@902: d\n")
        self.expect("untested.txt:4: not \"ID: reason\"", "untested.txt:5: @902 stands here twice",
                    "a test names @901", "@902 is no MUST", "@903 is no MUST")

    def test_entries(self):
        self.write("docs/requirements/x.md",
                   "# X\n\n" + entry(901, "SHOULD") + entry(902, "SHOULD", text="") +
                   entry(903, "SHOULD", source="") + "### @904 MUST\n\nNo dot.\n\nSource: a.go\n")
        self.write("docs/requirements/y.md", entry(901, "SHOULD"))
        self.expect("x.md:21: no heading of an entry", "x.md:9: @902 has no text",
                    "x.md:15: @903 has no line \"Source: ...\"",
                    "y.md:1: @901 has an entry at docs/requirements/x.md:3 already",
                    "x.md:21: @904 has no entry")

    def test_command(self):
        self.write("docs/requirements/x.md", entry(901))
        self.write("src/a.cc", "// @901\n")
        run = lambda *arguments: subprocess.run([str(TOOL), "--root", str(self.root), *arguments],
                                                stdout=subprocess.PIPE, text=True)
        done = run()
        self.assertEqual(done.returncode, 1)
        self.assertIn("of 1 MUST tests name 0", done.stdout)
        done = run(ids("@901"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("It holds.", done.stdout)
        self.assertIn("src/a.cc:1", done.stdout)
        self.assertEqual(run(ids("@999")).returncode, 1)
        self.assertIn("MUST 0/1", run("--levels").stdout)


if __name__ == "__main__":
    unittest.main()
