"""usage: test_apiserver_diff.py KSIM

tools/apiserver-diff: what it draws, how it compares and shrinks, that each of its excuses stands in
docs/fidelity.md, and what it says of a server that lies. Both servers are `ksim serve` here.
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
import api_excuses  # noqa: E402
import apiserver_diff  # noqa: E402
from api_answers import Comparable, Pairs, differences  # noqa: E402
from api_requests import Generator  # noqa: E402
from api_servers import Answer, Ksim  # noqa: E402

KSIM = sys.argv.pop()


def json_answer(tree, code=200):
    return Answer(code, [("Content-Type", "application/json")], json.dumps(tree).encode())


def changed(real, found, request=None):
    """The differences between two servers' answers, as texts."""
    answers = [Comparable("ns-1").of(request or {}, a) for a in (real, found)]
    return [str(d) for d in differences(*answers, Pairs())]


class Draws(unittest.TestCase):
    def test_a_seed_is_a_script(self):
        self.assertEqual(Generator(1).script(60), Generator(1).script(60))
        self.assertNotEqual(Generator(1).script(60), Generator(2).script(60))

    def test_what_the_grammar_has_is_drawn(self):
        drawn = [r for seed in range(1, 121) for r in Generator(seed).script(50)]
        self.assertGreaterEqual({r["method"] for r in drawn},
                                {"GET", "POST", "PUT", "PATCH", "DELETE", "BREW", "HEAD"})
        ends = {r["path"].rsplit("/", 1)[-1] for r in drawn}
        self.assertGreaterEqual(ends, {"pods", "leases", "gadgets", "status", "scale", "eviction",
                                       "binding", "token", "log", "version", "missing"})
        asked = {name for r in drawn for name in r.get("query", {})}
        self.assertGreaterEqual(asked, {
            "watch", "limit", "continue", "resourceVersion", "resourceVersionMatch", "dryRun",
            "labelSelector", "fieldSelector", "fieldValidation", "fieldManager", "force",
            "propagationPolicy", "gracePeriodSeconds", "pretty"})
        self.assertEqual([r["i"] for r in drawn[:50]], list(range(50)))

    def test_lists_are_of_the_script_s_own_objects(self):
        for r in (r for seed in range(1, 121) for r in Generator(seed).script(50)):
            if r["method"] == "GET" and r["path"] in ("/api/v1/pods", "/api/v1/nodes"):
                self.assertTrue(r.get("query", {}).get("labelSelector"), r)


class Compares(unittest.TestCase):
    def test_what_must_differ_does_not(self):
        def pod(uid, version, time):
            return {"kind": "Pod", "metadata": {
                "name": "p", "uid": "00000000-0000-0000-0000-00000000000" + uid,
                "resourceVersion": version, "creationTimestamp": time}}
        real = pod("1", "17", "2026-01-02T03:04:05Z")
        self.assertEqual(
            changed(json_answer(real), json_answer(pod("2", "5", "2025-01-01T00:00:00Z"))), [])
        self.assertEqual(len(changed(json_answer(real), json_answer(pod("2", "5", "no time")))), 1)

    def test_a_version_that_did_not_change_differs_from_one_that_did(self):
        def places(real, found):
            servers, pairs, wrong = [Comparable("ns-1"), Comparable("ns-1")], Pairs(), []
            for at, versions in enumerate(zip(real, found)):
                answers = [server.of({}, json_answer({"metadata": {"resourceVersion": v}}))
                           for server, v in zip(servers, versions)]
                wrong += [at for _ in differences(*answers, pairs)]
            return wrong
        self.assertEqual(places(["3", "4", "3"], ["103", "109", "103"]), [])
        self.assertEqual(places(["3", "3", "5"], ["103", "109", "120"]), [1])

    def test_generated_names_and_the_namespace_do_not_differ(self):
        def made(name, ns):
            return Comparable(ns).of({}, json_answer({"metadata": {
                "generateName": "g-", "name": name, "selfLink": f"/{ns}/{name}"}}))
        self.assertEqual(made("g-abcde", "ns-1"), made("g-fghij", "ns-2"))

    def test_codes_headers_and_fields_differ(self):
        self.assertEqual(changed(json_answer({"a": 1}), json_answer({"a": 1}, 201)),
                         ["code: kube-apiserver 200, ksim 201"])
        self.assertEqual(changed(json_answer({"a": 1}), json_answer({"a": "1"})),
                         ['body.a: kube-apiserver 1, ksim "1"'])
        self.assertEqual(changed(json_answer([]), json_answer({})),
                         ["body: kube-apiserver [], ksim {}"])
        plain = Answer(200, [("Content-Type", "text/plain"), ("Date", "now")], b"ok")
        warned = Answer(200, [("Content-Type", "text/plain"), ("Warning", "299 - \"w\"")], b"ok")
        self.assertEqual(len(changed(plain, warned)), 1)

    def test_protobuf_is_compared_without_its_schema(self):
        def answer(version):
            inner = b"\x0a\x01p\x32" + bytes([len(version)]) + version
            return Answer(200, [("Content-Type", "application/vnd.kubernetes.protobuf")],
                          b"k8s\0\x0a" + bytes([len(inner)]) + inner)
        self.assertEqual(changed(answer(b"17"), answer(b"170")), [])
        self.assertEqual(len(changed(answer(b"17"), answer(b"x"))), 1)


class Shrinks(unittest.TestCase):
    def test_only_what_is_needed_is_left(self):
        for needed in ([], [3], [0, 9], [2, 3, 7]):
            kept = apiserver_diff.drop_unneeded(list(range(10)), lambda c: set(needed) <= set(c))
            self.assertEqual(kept, needed)

    def test_what_differs_only_sometimes_is_left_whole(self):
        self.assertEqual(apiserver_diff.drop_unneeded([1, 2], lambda _: False), [1, 2])


class Excuses(unittest.TestCase):
    def test_each_stands_in_the_document(self):
        text = " ".join((ROOT / "docs/fidelity.md").read_text("utf-8").split())
        self.assertTrue(api_excuses.EXCUSES)
        for excuse in api_excuses.EXCUSES:
            with self.subTest(excuse.name):
                self.assertIn(" ".join(excuse.reason.split()), text)

    def test_names_are_of_one_excuse_each(self):
        names = [e.name for e in api_excuses.EXCUSES]
        self.assertEqual(len(names), len(set(names)))


class Liar(Ksim):
    """A ksim that takes 201 for 200 when the second configmap has been made."""

    def __enter__(self):
        super().__enter__()
        honest, made = self.send, []

        def send(method, path, headers, body):
            answer = honest(method, path, headers, body)
            if answer.code == 201 and path.split("?")[0].endswith("configmaps"):
                made.append(path)
                answer.code = 200 if made.count(path) > 1 else 201
            return answer
        self.send = send
        return self


class Asks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksim-apiserver-diff-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_against(self, kind, *arguments):
        """(exit code, output) of a comparison with a ksim in the place of kube-apiserver."""
        out = io.StringIO()

        def real(program, _):
            server = kind(program, "1.30")
            server.version = lambda: "1.30.0"
            return server
        with mock.patch.object(apiserver_diff, "RealApiServer", real), \
                contextlib.redirect_stdout(out):
            code = apiserver_diff.main(["--kube-apiserver", KSIM, "--ksim", KSIM, *arguments])
        return code, out.getvalue()

    def test_nothing_differs_between_ksim_and_itself(self):
        code, out = self.run_against(Ksim, "--requests", "60")
        self.assertIn("1.30.0: 60 requests, 0 differ without an excuse, 0 with one", out)
        self.assertEqual(code, 0)

    def test_a_lie_is_shown_with_the_fewest_requests(self):
        script = self.folder / "script.jsonl"
        lines = Generator(1).script(2)
        for i, name in enumerate("abcde", 2):
            lines.append({"i": i, "method": "POST", "path": "/api/v1/namespaces/{ns}/configmaps",
                          "body": {"metadata": {"name": name}}})
        script.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        code, out = self.run_against(Liar, "--script", str(script), "--keep", str(self.folder))
        self.assertEqual(code, 1)
        self.assertIn("request 3 differs; 3 requests are enough", out)
        self.assertIn("code: kube-apiserver 200, ksim 201", out)
        kept = (self.folder / "script.jsonl.jsonl").read_text("utf-8").splitlines()
        self.assertEqual([json.loads(line)["i"] for line in kept], [0, 2, 3])

    def test_wrong_usage_is_code_2(self):
        done = subprocess.run([sys.executable, ROOT / "tools/lib/apiserver_diff.py", "--ksim", "x",
                               "--kube-apiserver", "x", "--seeds", "a"], capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
