"""The programs of `ksim envtest path`, started as controller-runtime's envtest starts its own."""
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

KSIM = os.path.abspath(sys.argv.pop())
PATIENCE = 20


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **environment})


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def get(url, token=None, method="GET", body=None):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def wait_for(url):
    """As pollURLUntilOK of controller-runtime: any certificate will do."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if get(url)[0] == 200:
                return
        except OSError:
            pass
        if time.monotonic() > end:
            raise AssertionError(f"{url} does not come up")
        time.sleep(0.05)


ASSETS = run(KSIM, "envtest", "path").stdout.strip()
HAS_TLS = "built without OpenSSL" not in run(KSIM, "serve", "--tls", "--until", "0s").stderr


@unittest.skipUnless(HAS_TLS, "built without OpenSSL")
class Envtest(unittest.TestCase):
    def start(self, program, *flags, **environment):
        process = subprocess.Popen([f"{ASSETS}/{program}", *flags], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **environment})
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close(),
                                 process.stderr.close()))
        return process

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def server(self, *flags, **environment):
        """A kube-apiserver with the flags of controller-runtime 0.18; its process and URL."""
        port = free_port()
        home = self.folder()
        environment.setdefault("KSIM_KUBECONFIG", str(home / "kubeconfig"))
        process = self.start(
            "kube-apiserver", "--allow-privileged=true", "--authorization-mode=RBAC",
            "--bind-address=127.0.0.1", f"--cert-dir={home}",
            "--disable-admission-plugins=ServiceAccount", "--etcd-servers=http://127.0.0.1:1",
            f"--secure-port={port}", f"--service-account-issuer=https://127.0.0.1:{port}/",
            f"--service-account-key-file={home}/sa-signer.crt",
            f"--service-account-signing-key-file={home}/sa-signer.key",
            "--service-cluster-ip-range=10.0.0.0/24", *flags, **environment)
        url = f"https://127.0.0.1:{port}"
        wait_for(url + "/healthz")
        kubeconfig = pathlib.Path(environment["KSIM_KUBECONFIG"]).read_text()
        return process, url, re.search('token: "(.*)"', kubeconfig).group(1)

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def test_etcd_is_healthy(self):
        port = free_port()
        etcd = self.start("etcd", f"--listen-client-urls=http://127.0.0.1:{port}",
                          f"--advertise-client-urls=http://127.0.0.1:{port}", "--data-dir=nowhere",
                          "--listen-peer-urls=http://127.0.0.1:0", "--unsafe-no-fsync=true")
        wait_for(f"http://127.0.0.1:{port}/health")
        self.assertEqual(get(f"http://127.0.0.1:{port}/v3/kv/range")[0], 404)
        self.assertEqual(self.end(etcd)[0], 0)
        self.assertIn("ksim", run(f"{ASSETS}/etcd", "--version").stdout)
        self.assertIn("ksim", run(f"{ASSETS}/etcd", "--help").stdout)

    def test_the_cluster_is_as_bare_as_envtests(self):
        process, url, token = self.server()
        pods = url + "/api/v1/namespaces/default/pods"
        self.assertEqual(get(pods)[0], 401)
        self.assertEqual(json.loads(get(url + "/api/v1/nodes", token)[1])["items"], [])
        services = json.loads(get(url + "/api/v1/services", token)[1])["items"]
        self.assertEqual([s["metadata"]["name"] for s in services], ["kubernetes"])
        pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        code, made = get(pods, token, "POST", json.dumps(pod).encode())
        self.assertEqual(code, 201, made)
        self.assertNotIn("serviceAccountName", json.loads(made)["spec"])
        sets = url + "/apis/apps/v1/namespaces/default/replicasets"
        template = {"metadata": {"labels": {"a": "b"}}, "spec": pod["spec"]}
        code, made = get(sets, token, "POST", json.dumps({
            "metadata": {"name": "s"},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}).encode())
        self.assertEqual(code, 201, made)
        time.sleep(1)
        items = json.loads(get(pods, token)[1])["items"]
        self.assertEqual([(i["metadata"]["name"], i["spec"].get("nodeName")) for i in items],
                         [("p", None)])
        code, out, err = self.end(process)
        self.assertEqual((code, out), (0, ""))
        self.assertIn("--authorization-mode=RBAC changes nothing: no roles are asked", err)
        self.assertRegex(err, r"\nok: [\d,]+ events, ")

    def test_the_environment_breaks_it(self):
        trace = self.folder() / "trace-%p.jsonl"
        process, url, token = self.server(
            KSIM_FAULTS="[{at: 5s, rejectWrite: {client: outside-Python-urllib, code: 500}}]",
            KSIM_TRACE=str(trace), KSIM_SPEED="10", KSIM_COMPAT="1.36")
        self.assertEqual(json.loads(get(url + "/version")[1])["minor"], "36")
        maps = url + "/api/v1/namespaces/default/configmaps"
        self.assertEqual(get(maps, token)[0], 200)  # the client is there before the fault
        time.sleep(1)
        made = json.dumps({"metadata": {"name": "m"}}).encode()
        self.assertEqual([get(maps, token, "POST", made)[0] for _ in range(2)], [500, 201])
        self.assertEqual(self.end(process)[0], 0)
        trace = str(trace).replace("%p", str(process.pid))
        replay = run(KSIM, "replay", trace)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        bad = run(f"{ASSETS}/kube-apiserver", "--secure-port=1", KSIM_FAULTS="[{at: 1s, brk: {}}]")
        self.assertEqual(bad.returncode, 2)
        self.assertIn('unknown fault "brk"', bad.stderr)

    def test_wrong_flags_are_refused(self):
        for flags, why in ((["--insecure-port=0"], "unknown flag: --insecure-port"),
                           (["--secure-prt=1"], "did you mean --secure-port?"),
                           (["--secure-port=x"], "is no port"), (["--secure-port"], "needs an arg"),
                           (["--allow-privileged=maybe"], "true or false"),
                           (["--client-ca-file=nowhere", "--secure-port=1"], "no such file"),
                           (["run"], "unknown argument")):
            refused = run(f"{ASSETS}/kube-apiserver", *flags)
            self.assertEqual(refused.returncode, 2, flags)
            self.assertIn(why, refused.stderr)
        told = run(f"{ASSETS}/kube-apiserver", "--help")
        self.assertEqual(told.returncode, 0)
        # CheckFlag of controller-runtime looks here for flags that are gone.
        self.assertRegex(told.stdout, r"(?m)^\s*--secure-port\b")
        self.assertNotRegex(told.stdout, r"(?m)^\s*--insecure-port\b")
        self.assertRegex(run(f"{ASSETS}/kube-apiserver", "--version").stdout, r"^Kubernetes v1\.30")


if __name__ == "__main__":
    unittest.main()
