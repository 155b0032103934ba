"""usage: apiserver-diff [--version 1.30.14|1.36.3] [--kube-apiserver FILE] [--requests N]
                      [--seeds A..B] [--etcd PROGRAM] [--ksim PROGRAM] [--keep DIR] [--all]
                      [--script REQUESTS.jsonl]

Asks a real kube-apiserver and `ksim serve` the same requests, and compares codes, Statuses, the
headers that clients act upon, and bodies. The requests are drawn from a grammar of verbs, kinds,
options and bodies: N in all (default 3000), in a script of 50 for each seed (from 1 on), each in a
namespace of its own. What must differ (uids, resource versions, times, generated names) is
compared by the order in which it appears; what ksim does otherwise on purpose is excused with the
reason that docs/fidelity.md gives. Of the others the first is shown with the fewest requests that
show it, then how often each kind of difference came. --all shows each; --keep writes the shrunk
script to a directory; --script asks one that is there.

Without --ksim, ksim is built first. Without --kube-apiserver, kube-apiserver of the version is
built from the Go module proxy (some 15 minutes, once; kept below build/kubernetes). etcd is that of
Debian's etcd-server, installed if need be (KSIM_NO_INSTALL=1 forbids it). Exit code 0: no
difference without an excuse; 1: there are some; 2: wrong usage; 69: something could not be
installed or built.
"""
import argparse
import collections
import concurrent.futures
import copy
import json
import pathlib
import re
import sys
import time
import urllib.parse

import api_excuses
from api_answers import Comparable, Pairs, differences
from api_requests import Generator
from api_servers import Ksim, RealApiServer, ServerError

SCRIPT = 50


class Run:
    """One script asked of one server, in a namespace that nobody had before."""

    def __init__(self, server, namespace):
        self.server, self.namespace = server, namespace
        self.comparable = Comparable(namespace)
        self.answers = {}  # by number of the request

    def ask(self, request):
        """The comparable answer."""
        time.sleep(request.get("settle", 0))
        headers = {"User-Agent": "asker/1.0 (linux/amd64)", "Accept": "application/json"}
        body = self.body_of(request)
        if body is not None:
            headers["Content-Type"] = "application/json"
        headers.update(request.get("headers", {}))
        headers = {k: v for k, v in headers.items() if v or k == "Accept"}
        answer = self.server.send(request["method"], self.path_of(request), headers, body)
        time.sleep(request.get("settle_after", 0))
        self.answers[request["i"]] = answer
        return self.comparable.of(request, answer)

    def path_of(self, request):
        path = self.fill(request["path"])
        query = {k: self.fill(v) for k, v in request.get("query", {}).items()}
        return path + ("?" + urllib.parse.urlencode(query) if query else "")

    def body_of(self, request):
        if "text" in request:
            return request["text"].encode()
        if "from" in request:
            answer = self.answers.get(request["from"])
            if answer is None:
                return b"{}"
            body = answer.tree()
            if not isinstance(body, dict) or body.get("kind") == "Status":
                return answer.body
            for place, value in request.get("edits", []):
                edit(body, place, value)
            return json.dumps(self.fill_tree(body)).encode()
        if "body" not in request:
            return None
        body = self.fill_tree(request["body"])
        if "pad" in request:
            body["data"]["a"] = "x" * request["pad"]
        return json.dumps(body, ensure_ascii=False).encode()

    def fill_tree(self, v):
        if isinstance(v, dict):
            return {k: self.fill_tree(x) for k, x in v.items()}
        if isinstance(v, list):
            return [self.fill_tree(x) for x in v]
        return self.fill(v) if isinstance(v, str) else v

    def fill(self, text):
        text = text.replace("{ns}", self.namespace)
        return re.sub(r"\{(rv|uid|continue):(\d+)\}", lambda m: self.known(m[1], int(m[2])), text)

    def known(self, what, request):
        answer = self.answers.get(request)
        tree = answer.tree() if answer is not None else None
        metadata = tree.get("metadata") if isinstance(tree, dict) else None
        name = "resourceVersion" if what == "rv" else what
        found = metadata.get(name) if isinstance(metadata, dict) else None
        return found if isinstance(found, str) and found else "1"


def edit(body, place, value):
    """Sets, or for None removes, what is at a place; a body without such a place stays as it is."""
    for step in place[:-1]:
        if not isinstance(body, dict):
            return
        body = body.setdefault(step, {})
    if not isinstance(body, dict):
        return
    if value is None:
        body.pop(place[-1], None)
    else:
        body[place[-1]] = copy.deepcopy(value)


class Found:
    """A request of a script whose answers differ without an excuse."""

    def __init__(self, request, unexplained):
        self.request, self.unexplained = request, unexplained


class Comparison:
    def __init__(self, real, ksim):
        self.real, self.ksim = real, ksim
        self.number = 0
        self.pool = concurrent.futures.ThreadPoolExecutor(2)
        self.excused = collections.Counter()
        self.explained = 0  # requests that differ, but with an excuse
        self.counting = True

    def compare(self, script):
        """[Found...]"""
        self.number += 1
        runs = [Run(server, f"diff-{self.number:05}") for server in (self.real, self.ksim)]
        found, pairs = [], Pairs()
        for request in script:
            real, ours = self.pool.map(lambda run: run.ask(request), runs)  # noqa: B023
            unexplained, excused = [], set()
            for difference in differences(real, ours, pairs):
                difference.answer, difference.ours = real, ours
                excuse = api_excuses.excuse_for(request, difference)
                if excuse is None:
                    unexplained.append(difference)
                else:
                    excused.add(excuse.name)
            if unexplained:
                found.append(Found(request, unexplained))
            elif excused and self.counting:
                self.explained += 1
                self.excused.update(excused)
        return found

    def shrink(self, script, culprit):
        """The fewest requests found with which the last still differs, as it does after all."""
        self.counting = False
        signatures = {d.signature() for d in culprit.unexplained}

        def still_differs(candidate):
            return any(f.request["i"] == culprit.request["i"] and
                       signatures & {d.signature() for d in f.unexplained}
                       for f in self.compare(candidate))

        at = [r["i"] for r in script].index(culprit.request["i"])
        before = drop_unneeded(script[:at], lambda kept: still_differs([*kept, script[at]]))
        self.counting = True
        return [*before, script[at]]


def drop_unneeded(items, still_differs):
    """The fewest items found for which still_differs holds; all if it does not hold for them."""
    if not still_differs(items):
        return items
    size = max(1, len(items) // 2)
    while items:
        at, removed = 0, False
        while at < len(items):
            candidate = items[:at] + items[at + size:]
            if still_differs(candidate):
                items, removed = candidate, True
            else:
                at += size
        if size == 1 and not removed:
            break
        size = max(1, size // 2)
    return items


def to_line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Report:
    """What differed, by kind, and the first in short."""

    def __init__(self, options):
        self.options = options
        self.kinds, self.examples = collections.Counter(), {}
        self.requests = self.unexplained = 0
        self.shown = False

    def add(self, name, script, found, comparison):
        self.requests += len(script)
        self.unexplained += len(found)
        for f in found:
            kind = f.unexplained[0].signature()
            self.kinds[kind] += 1
            self.examples.setdefault(kind, (name, f))
            if self.options.all:
                print(f"{name}, request {f.request['i']}: {to_line(f.request)[:1500]}")
                print("".join(f"  {d}\n" for d in f.unexplained[:8]), end="", flush=True)
        if found and not self.shown:
            self.shown = True
            self.show_first(name, script, found[0], comparison)

    def show_first(self, name, script, first, comparison):
        small = comparison.shrink(script, first)
        print(f"{name}: request {first.request['i']} differs; {len(small)} requests are enough:")
        print("".join(f"  {to_line(r)[:3000]}\n" for r in small), end="")
        print("".join(f"  {d}\n" for d in first.unexplained), end="", flush=True)
        if self.options.keep:
            path = self.options.keep / (name.replace(" ", "-") + ".jsonl")
            path.write_text("".join(to_line(r) + "\n" for r in small), "utf-8")

    def close(self, version, comparison, seconds):
        for kind, count in self.kinds.most_common(self.options.kinds):
            name, example = self.examples[kind]
            request = example.request
            print(f"{count:5}  {name}, request {request['i']} ({request['method']} "
                  f"{request['path']}): {kind}")
        for name, count in sorted(comparison.excused.items()):
            print(f"{count:5}  excused: {name}")
        print(f"kube-apiserver {version}: {self.requests} requests, {self.unexplained} differ "
              f"without an excuse, {comparison.explained} with one, {seconds:.0f} s")


def parse(arguments):
    usage = __doc__.split("\n\n", maxsplit=1)[0].removeprefix("usage: ")
    parser = argparse.ArgumentParser(prog="apiserver-diff", usage=usage)
    parser.add_argument("--version", default="1.30.14")
    parser.add_argument("--kube-apiserver", required=True)
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--seeds", default="")
    parser.add_argument("--etcd", default="etcd")
    parser.add_argument("--ksim", required=True, type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--script", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--kinds", type=int, default=40, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.requests < 1:
        parser.error("nothing to do")
    first, _, last = (options.seeds or f"1..{-(-options.requests // SCRIPT)}").partition("..")
    try:
        options.seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        parser.error(f"--seeds {options.seeds}: want A..B")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    return options


def scripts(options):
    """(name, requests) of each."""
    if options.script:
        lines = options.script.read_text("utf-8").splitlines()
        yield options.script.name, [json.loads(line) for line in lines if line.strip()]
        return
    left = options.requests
    for seed in options.seeds:
        size = min(SCRIPT, left)
        if size <= 0:
            return
        left -= size
        yield f"seed {seed}", Generator(seed).script(size)


def main(arguments):
    options = parse(arguments)
    begun = time.monotonic()
    with RealApiServer(options.kube_apiserver, options.etcd) as real:
        version = real.version()
        with Ksim(options.ksim, ".".join(version.split(".")[:2])) as ksim:
            comparison, report = Comparison(real, ksim), Report(options)
            for name, script in scripts(options):
                report.add(name, script, comparison.compare(script), comparison)
    report.close(version, comparison, time.monotonic() - begun)
    return 1 if report.unexplained else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except ServerError as error:
        print(f"apiserver-diff: {error}", file=sys.stderr)
        sys.exit(70)
