"""usage: test_etcd_diff.py KSIM

tools/etcd-diff: what it draws, how it shrinks, what it says of a store that lies; and, where etcd
is installed, that it finds nothing between ksim and etcd in a short script.
"""
import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/lib"))
import etcd_diff  # noqa: E402
from op_generator import Generator  # noqa: E402

KSIM = sys.argv.pop()

# `ksim store replay -`, but the third version of a key is told as the fourth.
LIAR = """#!/usr/bin/env python3
import subprocess, sys
done = subprocess.run(["{ksim}", *sys.argv[1:]], stdin=sys.stdin, capture_output=True, text=True)
print(done.stdout.replace('"version":3', '"version":4'), end="")
sys.stderr.write(done.stderr)
sys.exit(done.returncode)
"""


def answers(ops):
    """What a correct store answers: ksim's own."""
    return etcd_diff.replay(KSIM, ops)


class Draws(unittest.TestCase):
    def script(self, seed, size):
        generator, ops = Generator(seed), []
        while len(ops) < size:
            ops.append(generator.next())
            generator.observe(ops[-1], answers(ops)[-1])
        return ops

    def test_a_seed_is_a_script(self):
        self.assertEqual(self.script(1, 30), self.script(1, 30))
        self.assertNotEqual(self.script(1, 30), self.script(2, 30))

    def test_every_operation_is_drawn_and_can_be_replayed(self):
        ops = self.script(3, 200)
        self.assertEqual([op["i"] for op in ops], list(range(200)))
        self.assertGreaterEqual(
            {op["op"] for op in ops},
            {"put", "range", "delete_range", "txn", "compact", "watch_open", "watch_collect",
             "watch_close", "lease_grant", "lease_ttl"})
        results = answers(ops)
        self.assertEqual(len(results), 200)
        refused = sum("error" in result for result in results)
        self.assertGreater(refused, 0)
        self.assertLess(refused, 70, "most of a script should do something")


class Shrinks(unittest.TestCase):
    def test_to_the_operations_that_matter(self):
        ops = [{"i": i, "op": "put", "key": f"k{i % 7}"} for i in range(200)]
        asked = []

        def still_differs(candidate):
            asked.append(candidate)
            numbers = [op["i"] for op in candidate]
            return 17 in numbers and 92 in numbers and 140 in numbers

        small = etcd_diff.shrink(ops, still_differs)
        self.assertEqual([op["i"] for op in small], [17, 92, 140])
        self.assertLess(len(asked), 100, "by halves, not one by one")

    def test_without_using_a_watch_that_is_gone(self):
        ops = [{"i": 0, "op": "watch_open", "w": "a"}, {"i": 1, "op": "put", "key": "k"},
               {"i": 2, "op": "watch_collect", "w": "a"}, {"i": 3, "op": "watch_close", "w": "b"}]
        self.assertEqual([op["i"] for op in etcd_diff.usable(ops)], [0, 1, 2])
        self.assertEqual([op["i"] for op in etcd_diff.usable(ops[1:])], [1])

    def test_first_difference(self):
        ops, same = [{}, {}], [{"revision": 1}, {"revision": 2}]
        self.assertIsNone(etcd_diff.first_difference(ops, same, [dict(r) for r in same]))
        self.assertEqual(etcd_diff.first_difference(ops, same, [{"revision": 1}, {}]), 1)
        self.assertEqual(etcd_diff.first_difference(ops, same, same[:1]), 1)


class Tells(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksim-etcd-diff-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_main(self, *arguments):
        """(exit code, what was printed)"""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = etcd_diff.main([*map(str, arguments)])
        return code, printed.getvalue()

    def liar(self):
        program = self.folder / "liar"
        program.write_text(LIAR.format(ksim=KSIM))
        program.chmod(0o755)
        return program

    def script(self):
        """Puts of many keys; one of them is written three times and then read."""
        ops = [{"op": "put", "key": "ab"[i in (20, 40, 60)] + str(i % 20), "value": "v"}
               for i in range(80)] + [{"op": "range", "key": "b0"}]
        path = self.folder / "script.jsonl"
        path.write_text("".join(json.dumps(dict(op, i=i)) + "\n" for i, op in enumerate(ops)))
        return path

    def test_a_lie_is_found_and_shrunk_and_kept(self):
        kept = self.folder / "kept"
        with mock.patch.object(etcd_diff, "Etcd") as etcd, \
                mock.patch.object(etcd_diff, "record", lambda _, ops: answers(ops)):
            etcd.return_value.__enter__.return_value.version.return_value = "0"
            code, printed = self.run_main("--ksim", self.liar(), "--script", self.script(),
                                          "--keep", kept)
            fine, silence = self.run_main("--ksim", KSIM, "--script", self.script())
        self.assertEqual((code, fine), (1, 0))
        self.assertIn("script.jsonl: operation 80 differs; 4 operations are enough:", printed)
        self.assertIn('"version":3', printed.split("  etcd: ")[1].split("  ksim: ")[0])
        self.assertIn('"version":4', printed.split("  ksim: ")[1])
        self.assertIn("1 scripts differ", printed)
        self.assertNotIn("differs", silence)
        lines = (kept / "script.jsonl.ops.jsonl").read_text().splitlines()
        ops = [json.loads(line) for line in lines]
        self.assertEqual([(op["i"], op["op"], op["key"]) for op in ops],
                         [(0, "put", "b0"), (1, "put", "b0"), (2, "put", "b0"), (3, "range", "b0")])

    def test_real_etcd_agrees(self):
        if shutil.which("etcd") is None:
            self.skipTest("etcd is not installed")
        code, printed = self.run_main("--ksim", KSIM, "--seeds", "1..2", "--ops", "60")
        self.assertIn("2 scripts, 120 operations, 0 scripts differ", printed)
        self.assertEqual(code, 0)

    def test_wrong_usage(self):
        for arguments in (["--seeds", "2..1"], ["--seeds", "x"], ["--ops", "0"]):
            done = subprocess.run([sys.executable, ROOT / "tools/lib/etcd_diff.py", "--ksim", "x",
                                   *arguments], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main()
