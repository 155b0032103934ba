"""The lint of the report's scripts refuses what could make markup or code of a trace's text."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import lint_js  # noqa: E402

BAD = {
    "markup": "box.innerHTML = name;",
    "inserted markup": "box.insertAdjacentHTML('beforeend', name);",
    "code": "eval(text);",
    "code by its constructor": "const f = new Function(text);",
    "var": "var x = 1;",
    "equal": "if (a == b) go();",
    "unequal": "if (a != b) go();",
    "trailing blank": "go(); ",
    "long line": "x".ljust(101, "x"),
}
GOOD = {
    "text node": "box.textContent = name;",
    "identical": "if (a === b || a !== c) go();",
    "arrow": "const f = x => x >= 1 && x <= 2;",
    "in a string": 'say("a == b, eval(x)");',
    "in a comment": "go();  // a == b",
    "full line": "x".ljust(100, "x"),
}


class LintJs(unittest.TestCase):
    def test_refuses(self):
        for name, line in BAD.items():
            with self.subTest(name):
                self.assertEqual(len(list(lint_js.problems("a.js", line))), 1)

    def test_passes(self):
        for name, line in GOOD.items():
            with self.subTest(name):
                self.assertEqual(list(lint_js.problems("a.js", line)), [])

    def test_the_scripts_of_the_report_pass(self):
        files = sorted((lint_js.ROOT / "src").rglob("*.js"))
        self.assertTrue(files)
        for path in files:
            self.assertEqual(list(lint_js.problems(path, path.read_text(encoding="utf-8"))), [])


if __name__ == "__main__":
    unittest.main()
