#!/usr/bin/env python3
"""Asks a real kube-apiserver what it serves, and writes down its discovery documents.

  record_discovery.py --kube-apiserver PROGRAM [--etcd PROGRAM] VERSION.jsonl

One line a document: {"path": "/apis/apps/v1", "answer": {...}}; "aggregated": true for those of
apidiscovery.k8s.io/v2. Addresses of the server are left out. tests/apiserver/doors/http/
discovery_test.cc holds ksim's discovery to them. The server is started as record.py does.
"""
import argparse
import json
import pathlib

import record

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def documents(cluster):
    def ask(path, aggregated=False):
        accept = AGGREGATED if aggregated else "application/json"
        code, body, _ = cluster.ask("GET", path, accept=accept)
        if code != 200:
            raise SystemExit(f"{path}: {code} {body[:200]}")
        answer = json.loads(body)
        answer.pop("serverAddressByClientCIDRs", None)
        return {"path": path, **({"aggregated": True} if aggregated else {}), "answer": answer}

    yield ask("/api")
    groups = ask("/apis")
    yield groups
    yield ask("/api/v1")
    for group in groups["answer"]["groups"]:
        yield ask(f"/apis/{group['name']}")
        for version in group["versions"]:
            yield ask(f"/apis/{version['groupVersion']}")
    for path in "/api", "/apis":
        yield ask(path, aggregated=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kube-apiserver", required=True, metavar="PROGRAM")
    parser.add_argument("--etcd", default="etcd", metavar="PROGRAM")
    parser.add_argument("file", type=pathlib.Path, metavar="VERSION.jsonl")
    options = parser.parse_args()
    with record.Cluster(options.kube_apiserver, options.etcd) as cluster:
        lines = [json.dumps(d, ensure_ascii=False) + "\n" for d in documents(cluster)]
    options.file.write_text("".join(lines))
    print(f"{options.file}: {len(lines)} documents")


if __name__ == "__main__":
    main()
