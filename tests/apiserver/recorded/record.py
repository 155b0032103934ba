#!/usr/bin/env python3
"""Asks a real kube-apiserver the lines of recorded files again and writes down its answers.

  record.py --kube-apiserver PROGRAM [--etcd PROGRAM] FILE.jsonl...

Each file is asked of a server of its own, beside an etcd with an empty data directory; both are
stopped afterwards. A new line needs only its "ask": add it, record, and read what came. The lines'
form is in README.md beside this script. Lines without "answer" stay without, unless they are alone
with --all. PROGRAM may be several words. Needs openssl, for the key of service accounts.
"""
import argparse
import http.client
import json
import os
import pathlib
import shlex
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse

METHODS = {"get": "GET", "list": "GET", "create": "POST", "update": "PUT", "patch": "PATCH",
           "delete": "DELETE", "deletecollection": "DELETE"}
PATCHES = {"json": "json-patch+json", "merge": "merge-patch+json", "apply": "apply-patch+yaml",
           "strategic": "strategic-merge-patch+json"}
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """etcd and a kube-apiserver, for as long as the `with` lasts."""

    def __init__(self, apiserver, etcd):
        self.apiserver, self.etcd = shlex.split(apiserver), shlex.split(etcd)
        self.etcd_port, self.port = free_port(), free_port()
        self.tls = ssl._create_unverified_context()

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        here = pathlib.Path(self.folder.name)
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{free_port()}"
        subprocess.run(["openssl", "genrsa", "-out", here / "sa.key", "2048"], check=True,
                       stderr=subprocess.DEVNULL)
        (here / "tokens").write_text('admin,system:admin,1,"system:masters"\n')
        self.log = open(here / "log", "wb")
        self.running = [self.start(self.etcd + [
            "--data-dir", here / "etcd", "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer,
            "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"])]
        self.running.append(self.start(self.apiserver + [
            "--etcd-servers", client, "--secure-port", str(self.port), "--bind-address",
            "127.0.0.1", "--cert-dir", here / "certs", "--service-account-issuer", "https://x",
            "--service-account-key-file", here / "sa.key",
            "--service-account-signing-key-file", here / "sa.key",
            "--service-cluster-ip-range", "10.0.0.0/24", "--authorization-mode", "AlwaysAllow",
            "--token-auth-file", here / "tokens", "--allow-privileged=true",
            "--disable-admission-plugins", "TaintNodesByCondition",
            "--enable-priority-and-fairness=false", "--max-requests-inflight", "0",
            "--max-mutating-requests-inflight", "0"]))
        self.wait_until_ready(here / "log")
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        self.ask("POST", "/api/v1/namespaces/default/serviceaccounts", account)
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            process.kill()
            process.wait()
        self.log.close()
        self.folder.cleanup()

    def start(self, words):
        return subprocess.Popen(list(map(str, words)), stdout=self.log, stderr=self.log)

    def wait_until_ready(self, log):
        for _ in range(240):
            time.sleep(0.5)
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                if any(p.poll() is not None for p in self.running):
                    break
        raise SystemExit("no kube-apiserver:\n" + log.read_text(errors="replace")[-2000:])

    def connect(self, method, path, body=None, kind="json", accept="application/json"):
        headers = {"Authorization": "Bearer admin", "Accept": accept, "User-Agent": "asker"}
        if body is not None:
            headers["Content-Type"] = f"application/{kind}"
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls,
                                                 timeout=90)
        text = None if body is None else json.dumps(body, separators=(",", ":"))
        connection.request(method, path, text, headers)
        return connection.getresponse()

    def ask(self, method, path, body=None, kind="json", accept="application/json"):
        answer = self.connect(method, path, body, kind, accept)
        return answer.status, answer.read(), answer.headers.get_all("Warning") or []

    def compact(self, revision):
        connection = http.client.HTTPConnection("127.0.0.1", self.etcd_port)
        connection.request("POST", "/v3/kv/compaction", json.dumps({"revision": str(revision)}))
        if connection.getresponse().status != 200:
            raise SystemExit(f"etcd does not compact at {revision}")


class Watch:
    """A watch that is read until it ends."""

    def __init__(self, answer):
        self.answer, self.events, self.ended = answer, [], False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while line := self.answer.readline():
                self.events.append(json.loads(line))
        except (OSError, http.client.HTTPException, ValueError):
            pass
        self.ended = True


class Asker:
    def __init__(self, cluster):
        self.cluster, self.kept, self.watches = cluster, {}, {}

    def filled(self, v):
        if isinstance(v, str) and v.startswith("$"):
            return self.kept.get(v[1:], v)
        if isinstance(v, dict):
            return {k: self.filled(x) for k, x in v.items()}
        return [self.filled(x) for x in v] if isinstance(v, list) else v

    def path(self, ask, **query):
        group, verb = ask.get("group", ""), ask["verb"]
        version = ask.get("version") or ("v2" if group == "autoscaling" else "v1")
        path = f"/apis/{group}/{version}" if group else "/api/v1"
        if ask.get("ns"):
            path += "/namespaces/" + ask["ns"]
        path += "/" + ask["resource"]
        whole = verb in ("list", "watch", "deletecollection")
        if not whole and (verb != "create" or ask.get("sub")):
            path += "/" + urllib.parse.quote(ask["name"])
        if ask.get("sub"):
            path += "/" + ask["sub"]
        query = {**ask.get("query", {}), **query}
        return path + ("?" + urllib.parse.urlencode(query) if query else "")

    def ask(self, unfilled):
        ask = self.filled(unfilled)
        verb = ask["verb"]
        if verb == "wait":
            time.sleep(ask["seconds"])
        elif verb == "compact":
            self.cluster.compact(ask["at"])
        elif verb == "watch":
            return self.watch(ask)
        elif verb == "events":
            return self.events(ask)
        else:
            return self.request(ask)
        return {}

    def watch(self, ask):
        answer = self.cluster.connect("GET", self.path(ask, watch="true"))
        if answer.status != 200:
            return {"code": answer.status, "body": json.loads(answer.read())}
        self.watches[ask["as"]] = Watch(answer)
        return {"code": 200}

    def events(self, ask):
        time.sleep(ask.get("seconds", 1))
        watch = self.watches.get(ask["of"])
        if watch is None:
            return {}
        got, watch.events = watch.events, []
        answer = {"events": [{"type": e["type"], "object": e["object"]} for e in got],
                  "ended": watch.ended}
        answer["versions"] = [self.related(e["object"]) for e in got]
        return without_managers(answer)

    def request(self, ask):
        kind = PATCHES[ask.get("patch") or "merge"] if ask["verb"] == "patch" else "json"
        path = self.path(ask)
        code, data, warnings = self.cluster.ask(METHODS[ask["verb"]], path, ask.get("body"), kind)
        try:
            body = json.loads(data)
        except ValueError:
            body = {"raw": data.decode("utf8", "replace")}
        for name, place in ask.get("save", {}).items():
            at = body
            for step in place.split("."):
                at = at[int(step)] if isinstance(at, list) else at.get(step, {})
            self.kept[name] = at
        said = [unquoted(w.split(" ", 2)[2]) for w in warnings]
        answer = {"code": code, "body": body, "warnings": said}
        if ask.get("table") and code == 200:
            answer["table"] = table(json.loads(self.cluster.ask("GET", path, accept=TABLE)[1]))
        if ask.get("versions"):
            items = body.get("items") or []
            answer["versions"] = [self.related(body)] + [self.related(i) for i in items]
        return without_managers(answer)

    def related(self, o):
        """The saved version that an object has, or "after" the newest saved one that is older."""
        version = (o.get("metadata") or {}).get("resourceVersion", "")
        if not version.isdigit():
            return ""
        saved = {k: int(v) for k, v in self.kept.items() if str(v).isdigit()}
        same = sorted(k for k, v in saved.items() if v == int(version))
        older = sorted((-v, k) for k, v in saved.items() if v < int(version))
        return same[0] if same else "after " + older[0][1] if older else "before"


def unquoted(text):
    """The text of a Warning header: 299 - "..."."""
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def table(t):
    def cell(c):
        return "<nil>" if c is None else str(c).lower() if isinstance(c, bool) else str(c)
    columns = [{"name": c["name"], "priority": c["priority"]} for c in t["columnDefinitions"]]
    return {"columns": columns, "rows": [[cell(c) for c in r["cells"]] for r in t["rows"]]}


def without_managers(v):
    if isinstance(v, dict):
        return {k: without_managers(x) for k, x in v.items() if k != "managedFields"}
    return [without_managers(x) for x in v] if isinstance(v, list) else v


def record(path, options):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    with Cluster(options.kube_apiserver, options.etcd) as cluster:
        asker = Asker(cluster)
        for line in lines:
            answer = asker.ask(line["ask"])
            if "answer" in line or options.all:
                line["answer"] = answer
    written = path.with_suffix(".new")
    written.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    os.replace(written, path)
    print(f"{path}: {len(lines)} lines")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kube-apiserver", required=True, metavar="PROGRAM")
    parser.add_argument("--etcd", default="etcd", metavar="PROGRAM")
    parser.add_argument("--all", action="store_true", help="answer lines without an answer too")
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE.jsonl")
    options = parser.parse_args()
    for path in options.files:
        record(path, options)


if __name__ == "__main__":
    main()
