"""Clients of `ksim serve` over real sockets: what they are answered, how much they may ask for, and
that a recorded run replays without them."""
import base64
import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

KSIM = os.path.abspath(sys.argv.pop())
PATIENCE = 20
MAPS = "/api/v1/namespaces/default/configmaps"


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


class Server:
    def __init__(self, folder, *flags):
        self.trace = str(folder / "served.jsonl")
        self.kubeconfig = str(folder / "kubeconfig")
        self.process = subprocess.Popen(
            [KSIM, "serve", "--kubeconfig", self.kubeconfig, "--trace", self.trace, *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline()
        found = re.search(r"https?://\S+?:(\d+) ", self.said)
        if found is None:
            raise AssertionError(self.said + self.process.stderr.read())
        self.port = int(found.group(1))

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def ask(self, method, path, body=None, kind="application/json", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        text = json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, text,
                           {**(headers or {}), **({"Content-Type": kind} if body else {})})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(data) if is_json else data

    def head(self, path, headers={}):
        """Code and headers of an answer; redirects are not followed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.headers

    def wait_for_time(self, ns):
        end = time.monotonic() + PATIENCE
        while self.ask("GET", "/ksim/v1/status")[1]["timeNs"] < ns:
            if time.monotonic() > end:
                raise AssertionError("the clock does not get there")

    def raw(self, data):
        peer = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        peer.sendall(data)
        return peer


def read_all(peer):
    got = b""
    with peer:
        try:
            while piece := peer.recv(65536):
                got += piece
        except ConnectionError:
            pass
    return got


class Served(unittest.TestCase):
    def serve(self, *flags):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = Server(pathlib.Path(folder.name), *flags)
        self.addCleanup(lambda: (server.process.kill(), server.process.wait(),
                                 server.process.stdout.close(), server.process.stderr.close()))
        return server

    def ksim(self, *args):
        return subprocess.run([KSIM, *args], capture_output=True, text=True, timeout=PATIENCE)


class Clients(Served):
    def test_creates_reads_watches_patches_deletes_and_replays(self):
        server = self.serve("--speed", "20")
        watcher = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        watcher.request("GET", MAPS + "?watch=true&resourceVersion=0&fieldSelector="
                        "metadata.name%3Da")
        events = watcher.getresponse()
        self.assertEqual(events.status, 200)
        self.assertEqual(server.ask("POST", MAPS, config_map("a", k="1"))[0], 201)
        self.assertEqual(server.ask("GET", MAPS + "/a")[1]["data"], {"k": "1"})
        code, patched = server.ask("PATCH", MAPS + "/a", {"data": {"k": "2"}},
                                   "application/merge-patch+json")
        self.assertEqual((code, patched["data"]), (200, {"k": "2"}))
        code, applied = server.ask(
            "PATCH", MAPS + "/a?fieldManager=me&force=true",
            json.dumps(config_map("a", other="3")), "application/apply-patch+yaml")
        self.assertEqual((code, applied["data"]), (200, {"k": "2", "other": "3"}))
        self.assertEqual(server.ask("DELETE", MAPS + "/a")[0], 200)
        told = [json.loads(events.readline()) for _ in range(4)]
        self.assertEqual([e["type"] for e in told], ["ADDED", "MODIFIED", "MODIFIED", "DELETED"])
        self.assertEqual(server.ask("GET", MAPS + "/a")[0], 404)
        watcher.close()
        for name in ("x", "y"):
            self.assertEqual(server.ask("POST", MAPS, {**config_map(name), "metadata": {
                "name": name, "labels": {"all": "gone"}}})[0], 201)
        self.assertEqual(server.ask("DELETE", MAPS + "?labelSelector=all%3Dgone")[0], 200)
        self.assertEqual(server.ask("GET", MAPS + "?labelSelector=all%3Dgone")[1]["items"], [])
        for words in (["inject", "crash: {process: kube-scheduler, down: 2s}"],
                      ["inject", "holdStream: {client: kubelet/node-1, resource: pods}"], ["heal"],
                      ["heal"]):
            done = self.ksim("ctl", *words, "--server", f"http://127.0.0.1:{server.port}")
            self.assertEqual(done.returncode, 0, done.stderr)
        code, out, err = server.end()
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"^ok: [\d,]+ events, ")
        replay = self.ksim("replay", server.trace)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        self.assertIn("same as recorded", replay.stdout)
        check = self.ksim("check", server.trace)
        self.assertEqual(check.returncode, 0, check.stdout)

    def test_tells_what_nobody_does(self):
        server = self.serve("--strict")
        self.assertEqual(server.ask("POST", "/api/v1/namespaces/default/services", {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
            "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}})[0], 201)
        line = server.process.stderr.readline()
        self.assertRegex(line, "^outside-client: error: .* no cloud gives a LoadBalancer")
        told = server.ask("GET", "/ksim/v1/verdict")[1]["notSimulated"]
        self.assertEqual([one["subject"] for one in told], ["Service"])
        self.assertEqual(server.end()[0], 1)

    def test_answers_what_clients_ask_first(self):
        server = self.serve()
        self.assertEqual(server.ask("GET", "/version")[1]["minor"], "30")
        self.assertEqual(server.ask("GET", "/api")[1]["versions"], ["v1"])
        groups = [g["name"] for g in server.ask("GET", "/apis")[1]["groups"]]
        self.assertIn("apps", groups)
        for name in ("/healthz", "/livez", "/readyz", "/readyz/etcd"):
            self.assertEqual(server.ask("GET", name), (200, b"ok"))
        self.assertIn(b"[+]etcd ok", server.ask("GET", "/readyz?verbose")[1])
        self.assertIn(b"apiserver_storage_objects{resource=\"nodes\"} 3",
                      server.ask("GET", "/metrics")[1])
        names = {r["name"] for r in server.ask("GET", "/api/v1")[1]["resources"]}
        self.assertLessEqual({"pods", "pods/log", "pods/exec", "serviceaccounts/token"}, names)
        wanted = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
        apps = next(g for g in server.ask("GET", "/apis", headers=wanted)[1]["items"]
                    if g["metadata"]["name"] == "apps")
        sets = next(r for r in apps["versions"][0]["resources"] if r["resource"] == "replicasets")
        self.assertEqual([s["subresource"] for s in sets["subresources"]], ["scale", "status"])
        index = json.loads(server.ask("GET", "/openapi/v3")[1])["paths"]
        where = index["apis/apps/v1"]["serverRelativeURL"]
        self.assertIn("io.k8s.api.apps.v1.ReplicaSet",
                      server.ask("GET", where)[1]["components"]["schemas"])
        swagger = server.ask("GET", "/openapi/v2")[1]
        pod = swagger["definitions"]["io.k8s.api.core.v1.Pod"]["properties"]
        self.assertEqual(pod["spec"], {"$ref": "#/definitions/io.k8s.api.core.v1.PodSpec"})
        self.assertEqual(server.ask("GET", "/nowhere")[0], 404)

    def test_knows_documents_that_clients_have(self):
        server = self.serve()
        index = json.loads(server.ask("GET", "/openapi/v3")[1])["paths"]
        where = index["api/v1"]["serverRelativeURL"]
        path, digest = where.split("?hash=")
        code, headers = server.head(where)
        self.assertEqual((code, headers["Etag"]), (200, f'"{digest}"'))
        self.assertEqual(server.head(where, {"If-None-Match": f'"{digest}"'})[0], 304)
        code, headers = server.head(path + "?hash=0")
        self.assertEqual((code, headers["Location"]), (301, where))
        wanted = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
        code, headers = server.head("/apis", wanted)
        self.assertIn("as=APIGroupDiscoveryList", headers["Content-Type"])
        self.assertEqual(server.head("/apis", {**wanted, "If-None-Match": headers["Etag"]})[0], 304)

    def test_tells_who_one_is_and_what_one_may_do(self):
        server = self.serve("--set", "cluster.deny=[{user: me, verb: delete, resource: pods}]")
        authentication = "/apis/authentication.k8s.io/v1/"
        authorization = "/apis/authorization.k8s.io/v1/"
        code, me = server.ask("POST", authentication + "selfsubjectreviews", {})
        self.assertEqual((code, me["status"]["userInfo"]["username"]), (201, "system:admin"))
        for verb, allowed in (("delete", False), ("get", True)):
            spec = {"user": "me", "resourceAttributes": {"verb": verb, "resource": "pods"}}
            code, review = server.ask("POST", authorization + "subjectaccessreviews",
                                      {"spec": spec})
            self.assertEqual((code, review["status"]["allowed"]), (201, allowed))
        rules = server.ask("POST", authorization + "selfsubjectrulesreviews",
                           {"spec": {"namespace": "default"}})[1]["status"]
        self.assertEqual(rules["incomplete"], True)  # something is denied
        account = "/api/v1/namespaces/default/serviceaccounts"
        self.assertEqual(server.ask("POST", account + "/robot/token", {"spec": {}})[0], 404)
        robot = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
        self.assertEqual(server.ask("POST", account, robot)[0], 201)
        code, request = server.ask("POST", account + "/robot/token", {"spec": {}})
        token = request["status"]["token"]
        code, review = server.ask("POST", authentication + "tokenreviews",
                                  {"spec": {"token": token}})
        self.assertEqual(review["status"]["user"]["username"],
                         "system:serviceaccount:default:robot")
        bearer = {"Authorization": "Bearer " + token}
        self.assertEqual(server.head("/api/v1/nodes", bearer)[0], 200)
        self.assertEqual(server.head("/api/v1/nodes", {"Authorization": "Bearer x"})[0], 401)
        server.end()
        self.assertNotIn(token, pathlib.Path(server.trace).read_text())

    def test_a_simulated_container_has_no_output_and_no_program(self):
        server = self.serve("--speed", "step")
        pods = "/api/v1/namespaces/default/pods"
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
               "spec": {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "i"}]}}
        self.assertEqual(server.ask("POST", pods, pod)[0], 201)
        nowhere = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "nowhere"},
                   "spec": {"nodeSelector": {"no": "where"},
                            "containers": [{"name": "a", "image": "i"}]}}
        self.assertEqual(server.ask("POST", pods, nowhere)[0], 201)
        self.assertEqual(server.ask("GET", pods + "/nowhere/log")[0], 204)
        server.ask("POST", "/ksim/v1/step", {"for": "1m"})
        server.wait_for_time(60 * 10**9)
        self.assertEqual(server.ask("GET", pods + "/p/log?container=a"), (200, b""))
        code, status = server.ask("GET", pods + "/p/log")
        self.assertEqual((code, status["message"]), (
            400, "a container name must be specified for pod p, choose one of: [a b]"))
        self.assertEqual(server.ask("GET", pods + "/p/log?container=c")[1]["message"],
                         "container c is not valid for pod p")
        self.assertEqual(server.ask("GET", pods + "/q/log")[0], 404)
        for what in ("exec", "attach", "portforward"):
            self.assertEqual(server.ask("POST", f"{pods}/p/{what}", {})[0], 501)

    def test_binds_debugs_and_resizes_pods_as_clients_do(self):
        server = self.serve("--speed", "step", "--set", "compat=1.36")
        pods = "/api/v1/namespaces/default/pods"
        container = {"name": "a", "image": "i", "resources": {"requests": {"cpu": "1"}}}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
               "spec": {"schedulerName": "mine", "containers": [container]}}
        self.assertEqual(server.ask("POST", pods, pod)[0], 201)
        binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "node-1"}}
        bindings = "/api/v1/namespaces/default/bindings"
        self.assertEqual(server.ask("POST", bindings, {"target": {"name": "x"}})[1]["message"],
                         "Name parameter required.")
        self.assertEqual(server.ask("POST", bindings, binding)[0], 201)
        strategic = "application/strategic-merge-patch+json"
        code, debugged = server.ask(
            "PATCH", f"{pods}/p/ephemeralcontainers",
            {"spec": {"ephemeralContainers": [{"name": "d", "image": "i"}]}}, strategic)
        self.assertEqual((code, debugged["spec"]["ephemeralContainers"][0]["name"]), (200, "d"))
        resized = {"containers": [{"name": "a", "resources": {"requests": {"cpu": "2"}}}]}
        code, pod = server.ask("PATCH", f"{pods}/p/resize", {"spec": resized}, strategic)
        self.assertEqual(code, 200, pod)
        self.assertEqual(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "2")
        self.assertEqual(pod["spec"]["nodeName"], "node-1")
        for path in (f"{pods}/p/proxy", "/api/v1/nodes/node-1/proxy/metrics"):
            self.assertEqual(server.ask("GET", path)[0], 501)
        components = server.ask("GET", "/api/v1/componentstatuses")[1]["items"]
        self.assertEqual(components[2]["metadata"]["name"], "etcd-0")
        self.assertEqual(server.ask("GET", "/api/v1/componentstatuses/x")[0], 404)
        self.assertEqual(server.ask("POST", "/api/v1/componentstatuses", {})[0], 405)

    def test_long_answers_are_compressed_for_who_asks(self):
        server = self.serve()
        self.assertEqual(server.ask("POST", MAPS, config_map("a", k="0123456789" * 14000))[0], 201)

        def get(path, coding):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.request("GET", path, headers={"Accept-Encoding": coding})
            answer = connection.getresponse()
            body = (answer.readline() if "watch" in path else answer.read())
            connection.close()
            return answer.headers["Content-Encoding"], body

        for path in (MAPS, "/openapi/v2"):
            coding, plain = get(path, "identity")
            self.assertIsNone(coding)
            coding, short = get(path, "deflate, gzip")
            self.assertEqual(coding, "gzip")
            self.assertEqual(gzip.decompress(short), plain)
        for path in (MAPS + "?limit=0&watch=1&resourceVersion=0", "/api/v1", "/openapi/v3"):
            self.assertIsNone(get(path, "gzip")[0], path)
        server.end()
        self.assertEqual(self.ksim("replay", server.trace).returncode, 0)

    def test_a_clock_that_stands_still_answers_and_goes_on_when_told(self):
        server = self.serve("--speed", "step")
        self.assertEqual(server.ask("POST", MAPS, config_map("a"))[0], 201)
        before = server.ask("GET", "/ksim/v1/status")[1]["timeNs"]
        time.sleep(0.2)
        self.assertEqual(server.ask("GET", "/ksim/v1/status")[1]["timeNs"], before)
        stepped = self.ksim("ctl", "step", "1h", "--kubeconfig", server.kubeconfig)
        self.assertEqual(stepped.returncode, 0, stepped.stderr)
        server.wait_for_time(before + 3600 * 10**9)
        self.assertEqual(self.ksim("ctl", "verdict", "--kubeconfig",
                                   server.kubeconfig).returncode, 0)

    def test_a_killed_server_leaves_a_trace_that_can_be_read(self):
        server = self.serve()
        self.assertEqual(server.ask("POST", MAPS, config_map("a"))[0], 201)
        time.sleep(0.2)
        self.assertEqual(server.end(signal.SIGKILL)[0], -signal.SIGKILL)
        got = self.ksim("get", server.trace, "configmaps", "-o", "name")
        self.assertIn("configmap/a", got.stdout)
        self.assertIn("warning: cut after line", got.stderr)

    def test_strange_clients_cost_the_others_nothing(self):
        server = self.serve()
        huge = b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"a" * (2 << 20)
        much = (f"POST {MAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {5 << 20}\r\n\r\n").encode() + b" " * (4 << 20)
        self.assertIn(b"431 ", read_all(server.raw(huge)))
        self.assertIn(b"413 ", read_all(server.raw(much)))
        self.assertIn(b"400 ", read_all(server.raw(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")))
        silent = server.raw(b"")
        half = server.raw(b"GET /api/v1/nod")
        frames = server.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100)
        slow = server.raw(b"")
        for byte in b"GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n":
            slow.send(bytes([byte]))
        self.assertIn(b"200 OK", read_all(slow))
        unread = server.raw(f"GET {MAPS}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.assertEqual(server.ask("POST", MAPS, config_map("a"))[0], 201)
        for peer in (silent, half, frames, unread):
            peer.close()
        self.assertEqual(server.ask("GET", MAPS + "/a")[0], 200)
        code, _, err = server.end(signal.SIGINT)
        self.assertEqual((code, err), (0, ""))

    def test_a_page_of_a_browser_is_refused(self):
        server = self.serve()
        for headers, code in (({"Origin": "http://localhost:3000"}, 200),
                              ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403),
                              ({"Host": "evil.example"}, 403), ({"Host": "[::1]:80"}, 200)):
            self.assertEqual(server.head("/version", headers)[0], code, headers)
            self.assertEqual(server.head("/ksim/v1/status", headers)[0], code, headers)

    def test_a_place_that_cannot_be_is_refused(self):
        for flags, why in ((["--listen", "8080"], "is not ADDRESS:PORT"),
                           (["--speed", "warp"], "is no speed"),
                           (["--trace", "x.ktrace"], "JSON Lines"),
                           (["nowhere.yaml"], "no such file")):
            run = self.ksim("serve", *flags)
            self.assertEqual(run.returncode, 2, flags)
            self.assertIn(why, run.stderr)


def has_tls():
    run = subprocess.run([KSIM, "serve", "--tls", "--until", "0s"], capture_output=True, text=True,
                         timeout=PATIENCE)
    return "built without OpenSSL" not in run.stderr


@unittest.skipUnless(has_tls(), "built without OpenSSL")
class Secured(Served):
    """The same with TLS: who comes in, and as whom."""

    def credentials(self, server):
        """Certificate authority, certificate and key, as files, and the token of a kubeconfig."""
        text = pathlib.Path(server.kubeconfig).read_text()
        files = []
        for field in ("certificate-authority", "client-certificate", "client-key"):
            found = re.search(f"{field}-data: (.*)", text)
            file = pathlib.Path(f"{server.kubeconfig}.{field}")
            file.write_bytes(base64.b64decode(found.group(1)) if found else b"")
            files.append(str(file))
        return *files, re.search('token: "(.*)"', text).group(1)

    def ask(self, server, path, certificate=None, token=None, authority=None, body=None):
        context = ssl.create_default_context(cafile=authority)
        if authority is None:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate:
            context.load_cert_chain(*certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=PATIENCE,
                                                 context=context)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("POST" if body is not None else "GET", path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(data) if is_json else data

    def test_lets_in_who_shows_credentials(self):
        server = self.serve("--tls")
        self.assertEqual(os.stat(server.kubeconfig).st_mode & 0o777, 0o600)
        authority, certificate, key, token = self.credentials(server)
        review = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        for shown in ({"certificate": (certificate, key)}, {"token": token}):
            code, me = self.ask(server, review, authority=authority, body="{}", **shown)
            self.assertEqual((code, me["status"]["userInfo"]), (201, {
                "username": "kubernetes-admin",
                "groups": ["system:masters", "system:authenticated"]}))
            self.assertEqual(self.ask(server, "/api/v1/nodes", **shown)[0], 200)
            self.assertEqual(self.ask(server, "/ksim/v1/status", **shown)[0], 200)
        for path in ("/healthz", "/livez", "/readyz", "/version"):
            self.assertEqual(self.ask(server, path)[0], 200)
        for path in ("/api/v1/nodes", "/metrics", "/openapi/v2", "/ksim/v1/status", "/readyz/etcd"):
            for token in (None, "x"):
                code, status = self.ask(server, path, token=token)
                self.assertEqual((code, status["reason"]), (401, "Unauthorized"), path)
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
        accounts = "/api/v1/namespaces/default/serviceaccounts"
        mine = {"certificate": (certificate, key)}
        self.assertEqual(self.ask(server, accounts, body=json.dumps(account), **mine)[0], 201)
        robot = self.ask(server, accounts + "/robot/token", body="{}",
                         **mine)[1]["status"]["token"]
        self.assertEqual(self.ask(server, "/api/v1/nodes", token=robot)[0], 200)
        self.assertEqual(self.ask(server, "/ksim/v1/status", token=robot)[0], 403)
        code, _, err = server.end()
        self.assertEqual((code, err), (0, ""))
        replay = self.ksim("replay", server.trace)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        trace = pathlib.Path(server.trace).read_text()
        self.assertIn("kubernetes-admin", trace)
        for secret in (self.credentials(server)[3], robot, "PRIVATE"):
            self.assertNotIn(secret, trace)

    def test_ctl_comes_in_by_the_kubeconfig(self):
        server = self.serve("--listen", "0.0.0.0:0", "--speed", "step")
        url = f"https://127.0.0.1:{server.port}"
        done = self.ksim("ctl", "step", "1m", "--kubeconfig", server.kubeconfig, "--server", url)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.ksim("ctl", "status", "--kubeconfig", server.kubeconfig)
        self.assertEqual(json.loads(done.stdout)["speed"], "step", done.stderr)
        done = self.ksim("ctl", "status", "--server", url)
        self.assertIn("--kubeconfig FILE", done.stderr)
        self.assertEqual(done.returncode, 2)
        other = self.serve("--tls")
        done = self.ksim("ctl", "status", "--kubeconfig", other.kubeconfig, "--server", url)
        self.assertIn("certificate", done.stderr)
        self.assertEqual(done.returncode, 6)

    def test_believes_the_authority_of_a_file(self):
        first = self.serve("--tls")
        authority, certificate, key, _ = self.credentials(first)
        second = self.serve("--client-ca-file", authority, "--tls-cert-file", certificate,
                            "--tls-private-key-file", key)
        mine = {"certificate": (certificate, key)}
        self.assertEqual(self.ask(second, "/api/v1/nodes", **mine)[0], 200)
        self.assertEqual(self.ask(first, "/api/v1/nodes", **mine)[0], 200)
        self.assertNotIn("client-key", pathlib.Path(second.kubeconfig).read_text())
        third = self.serve("--tls")
        self.assertEqual(self.ask(third, "/api/v1/nodes", **mine)[0], 401)
        for flags, why in ((["--tls-cert-file", certificate], "go together"),
                           (["--tls-cert-file", authority, "--tls-private-key-file", key],
                            "key values mismatch"),
                           (["--client-ca-file", "nowhere"], "no such file"),
                           (["--client-ca-file", __file__], "is not in PEM")):
            run = self.ksim("serve", *flags)
            self.assertEqual(run.returncode, 2, flags)
            self.assertIn(why, run.stderr)

    def test_strange_clients_of_tls_cost_the_others_nothing(self):
        server = self.serve("--tls")
        self.assertEqual(
            read_all(server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")),
            b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")
        self.assertEqual(read_all(server.raw(b"garbage")), b"")
        read_all(server.raw(b"\x16\x03\x01\x00\x05garbage"))
        half = server.raw(b"\x16\x03\x01\x02\x00\x01")
        self.assertEqual(self.ask(server, "/healthz"), (200, b"ok"))
        half.close()
        code, _, err = server.end()
        self.assertEqual((code, err), (0, ""))

    @unittest.skipUnless(shutil.which("curl"), "no curl")
    def test_curl_speaks_http2_with_it(self):
        server = self.serve("--tls")
        authority, certificate, key, token = self.credentials(server)
        url = f"https://localhost:{server.port}/api/v1/nodes"
        for flags, said in ((["--cert", certificate, "--key", key], "2 200"),
                            (["--http1.1", "--cert", certificate, "--key", key], "1.1 200"),
                            (["-H", f"Authorization: Bearer {token}"], "2 200"), ([], "2 401")):
            run = subprocess.run(
                ["curl", "-s", "-o", os.devnull, "-w", "%{http_version} %{http_code}", "--cacert",
                 authority, *flags, url], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(run.stdout, said, run.stderr)


if __name__ == "__main__":
    unittest.main()
