"""Webhooks that a guest serves. Skipped where Go 1.24 or newer, or Wasmtime, is not."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

KSIM = os.path.abspath(sys.argv.pop())
PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "webhook"

# One webhook at a guest named hooks, and what the user does.
SCENARIO = """apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: hooks}}
spec:
  until: 5m
  cluster:
    nodes: 0
    guests:
    - {{name: hooks, file: webhook.wasm, args: [{args}], replicas: {replicas}}}
  faults: [{faults}]
  steps:
  - create: {{documents: all}}
  - at: 1m
    create:
      objects:
      - apiVersion: v1
        kind: ConfigMap
        metadata: {{name: a, namespace: default}}
        data: {{is: {data}}}
---
apiVersion: v1
kind: Service
metadata: {{name: hooks, namespace: default}}
spec: {{ports: [{{port: 443, targetPort: 9443}}]}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: {kind}WebhookConfiguration
metadata: {{name: hooks}}
webhooks:
- name: one.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  failurePolicy: {policy}
  timeoutSeconds: 2
  clientConfig: {client}
  rules: [{{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}}]
"""


def go_minor():
    try:
        out = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.match(r"go1\.(\d+)", out.stdout)
    return int(found.group(1)) if found else 0


@unittest.skipIf(go_minor() < 24, "needs Go 1.24 or newer")
class Webhooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        built = cls.ksim("guest", "build", str(PROGRAM), "-o", "webhook.wasm")
        assert built.returncode == 0, built.stderr
        (cls.root / "webhook.yaml").write_text((PROGRAM / "webhook.yaml").read_text())
        first = cls.ksim("run", "webhook.yaml", "--trace", "first.jsonl")
        if "guests need Wasmtime" in first.stderr:
            raise unittest.SkipTest("needs Wasmtime: tools/setup --guests")
        cls.first = first

    @classmethod
    def ksim(cls, *words, **environment):
        return subprocess.run([KSIM, *words], capture_output=True, text=True, cwd=cls.root,
                              timeout=900, env={**os.environ, **environment})

    def run_with(self, *, kind="Validating", path="/validate", policy="Fail", data="good",
                 faults="", args="", replicas=1, url=None):
        client = (f'{{url: "{url}"}}' if url else
                  f"{{service: {{name: hooks, namespace: default, path: {path}}}}}")
        (self.root / "hooks.yaml").write_text(SCENARIO.format(
            kind=kind, policy=policy, data=data, faults=faults, args=args, client=client,
            replicas=replicas))
        return self.ksim("run", "hooks.yaml")

    def test_the_example(self):
        self.assertEqual(self.first.returncode, 0, self.first.stdout + self.first.stderr)
        self.assertIn("/mutate good: allowed true", self.first.stdout)
        self.assertIn("/validate good: allowed true", self.first.stdout)

    def test_the_same_bytes_elsewhere(self):
        again = self.ksim("run", "webhook.yaml", "--trace", "again.jsonl", TZ="Asia/Tokyo",
                          LC_ALL="C")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.root / "first.jsonl").read_bytes(),
                         (self.root / "again.jsonl").read_bytes())
        checked = self.ksim("check", "first.jsonl")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        replayed = self.ksim("replay", "first.jsonl")
        self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)

    def test_a_guest_refuses(self):
        done = self.run_with(data="bad")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('admission webhook "one.example.com" denied the request: it is bad',
                      done.stdout)

    def test_a_url_names_the_guest(self):
        done = self.run_with(data="bad", url="https://hooks:9443/validate")
        self.assertIn("denied the request: it is bad", done.stdout)
        done = self.run_with(url="https://hooks:9444/validate")
        self.assertIn("connect: connection refused", done.stdout)

    def test_a_guest_that_is_down(self):
        crash = "{at: 50s, crash: {process: hooks, down: 30s}}"
        done = self.run_with(faults=crash)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(
            done.stdout,
            r'Internal error occurred: failed calling webhook "one.example.com": failed to call '
            r'webhook: Post "https://hooks.default.svc:443/validate\?timeout=2s": dial tcp '
            r"10\.\d+\.\d+\.\d+:443: connect: connection refused")
        done = self.run_with(faults=crash, policy="Ignore", data="bad")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("configmap/a created", done.stdout)

    def test_another_replica_answers(self):
        done = self.run_with(faults="{at: 50s, crash: {process: hooks-0, down: 30s}}",
                             replicas=2)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("hooks-1", done.stdout)

    def test_a_guest_that_is_late_or_cut_off(self):
        late = ('failed to call webhook: Post "https://hooks.default.svc:443/{}?timeout=2s": '
                "context deadline exceeded")
        done = self.run_with(path="/sleep")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(late.format("sleep"), done.stdout)
        done = self.run_with(
            faults="{at: 50s, partition: {between: [hooks, kube-apiserver-0], for: 30s}}")
        self.assertIn(late.format("validate"), done.stdout)
        done = self.run_with(faults="{at: 50s, pause: {actor: hooks, for: 30s}}")
        self.assertIn(late.format("validate"), done.stdout)

    def test_a_guest_that_dies_of_a_call(self):
        done = self.run_with(args="die")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('Post "https://hooks.default.svc:443/validate?timeout=2s": EOF', done.stdout)
        self.assertIn("says: exit 1", done.stdout)

    def test_memory_has_a_bound(self):
        text = (self.root / "webhook.yaml").read_text()
        (self.root / "small.yaml").write_text(
            text.replace("file: webhook.wasm,", "file: webhook.wasm, memory: 5Mi,"))
        done = self.ksim("run", "small.yaml")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("webhook: out of memory: it wants more than 5Mi", done.stdout)


if __name__ == "__main__":
    unittest.main()
