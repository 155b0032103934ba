"""docs/museum.md says of each bug what tools/museum would write, and has every number cited."""
import importlib.machinery
import importlib.util
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("museum_tool", str(ROOT / "tools/museum"))
spec = importlib.util.spec_from_loader(loader.name, loader)
museum = importlib.util.module_from_spec(spec)
loader.exec_module(museum)

# How code and scenarios cite a bug: in quotes, or at the beginning of a comment.
CITED = re.compile(r'"(B\d+)"|// (B\d+):|^# (B\d+)\b|museum\.md, (B\d+)', re.MULTILINE)


def sources():
    for folder in ("src", "include", "tests", "scenarios"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".cc", ".h", ".yaml"}:
                yield path


class MuseumTest(unittest.TestCase):
    def test_document_is_current(self):
        document = museum.DOCUMENT.read_text()
        self.assertEqual(document, museum.with_bugs(document), "run tools/museum --bugs")

    def test_every_cited_number_has_an_entry(self):
        entries = {bug[0] for bug in museum.BUGS}
        self.assertEqual(len(entries), len(museum.BUGS))
        cited = {}
        for path in sources():
            for match in CITED.finditer(path.read_text()):
                cited[next(filter(None, match.groups()))] = path
        self.assertGreaterEqual(len(cited), 8)
        for number, path in cited.items():
            self.assertIn(number, entries, f"{path} cites {number}")

    def test_every_variant_and_scenario_is_there(self):
        named = {variant.split(":")[0] for bug in museum.BUGS for variant, _ in bug[3]}
        table = (ROOT / "src/ksim/api/core/variants.cc").read_text()
        self.assertEqual(named, set(re.findall(r'\{"([a-z]+\.[A-Za-z]+)",', table)))
        for name, number, variant, _ in museum.PIECES:
            self.assertTrue((museum.FOLDER / f"{name}.yaml").exists(), name)
            self.assertIn(variant, named)
            self.assertIn(number.split()[0], {bug[0] for bug in museum.BUGS})


if __name__ == "__main__":
    unittest.main()
