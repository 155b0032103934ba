"""Runs batches of cases in a real cluster and reads what came of each."""
import concurrent.futures
import datetime
import time

from upstream_real_cluster import BESIDE, KUBECTL, KUBELET, RECORDED, Api, Programs
from upstream_real_kinds import Kinds
from upstream_real_kubelet import Kubelets
from upstream_real_lines import lines_of, record
from upstream_real_outcome import outcome_of
from upstream_real_place import Place
from upstream_real_plan import batches, kubelets_of, shares_nodes, until_of
from upstream_real_steps import Hand
from upstream_record import EPOCH
from upstream_world import MANAGER, NO_ALIAS, RUNNING, SCHEDULER, nanoseconds

UTC = datetime.timezone.utc
# Others would choose from these, or they would go on in vain.
LEFT = ("/apis/apps/v1/daemonsets", "/api/v1/persistentvolumeclaims", "/api/v1/persistentvolumes",
        "/apis/storage.k8s.io/v1/storageclasses", "/api/v1/pods", "/api/v1/nodes")
# How long programs take until they have read everything.
SETTLE = 8.0


def now():
    return datetime.datetime.now(UTC)


def sleep_until(when):
    time.sleep(max(0.0, (when - now()).total_seconds()))


def since_epoch(when):
    return int((when - EPOCH) / datetime.timedelta(microseconds=1)) * 1000


def left_out(resource, _, name):
    """What the recording itself makes."""
    return (resource, name) in (("serviceaccounts", "default"), ("configmaps", "kube-root-ca.crt"))


class Session:
    """The cases of one file in a cluster, in which those of other files may run as well."""

    def __init__(self, cluster, plan, say):
        self.cluster, self.plan, self.say = cluster, plan, say
        self.programs, self.running = Programs(cluster), None
        self.kinds = Kinds(Api(cluster.port, KUBECTL))

    def run(self, cases, uids_of):
        """(case, outcome, refused requests) of each case."""
        with self.programs:
            for cases_of_batch in batches(cases, self.plan):
                self.say(f'  {", ".join(c["name"] for c in cases_of_batch)}')
                batch = Batch(self, cases_of_batch, uids_of)
                yield from batch.run()
                if self.plan.solo:
                    self.clean(batch)
                else:
                    self.stop()

    def clean(self, batch):
        api = self.kinds.api
        for path in LEFT:
            _, listed = api.ask("GET", path)
            for item in listed["items"]:
                meta, (root, resource) = item["metadata"], path.rsplit("/", 1)
                where = (resource, meta.get("namespace", ""), meta["name"])
                if not any(hand.place.owns(*where) for hand in batch.hands):
                    continue
                inner = f"/namespaces/{where[1]}" if where[1] else ""
                target = f"{root}{inner}/{resource}/{where[2]}"
                if meta.get("finalizers"):
                    api.ask("PATCH", target, {"metadata": {"finalizers": None}},
                            "application/merge-patch+json")
                api.ask("DELETE", target, {"apiVersion": "v1", "kind": "DeleteOptions",
                                           "gracePeriodSeconds": 0})

    def stop(self):
        self.programs.stop()
        self.running = None

    def start(self, case):
        """Starts what a case needs, unless it runs already."""
        wanted = str((case["controllers"], case.get("beside", []), case.get("args", [])))
        if self.running == wanted:
            return
        self.programs.stop()
        for user, names, args in ((RECORDED, case["controllers"], case.get("args", [])),
                                  (BESIDE, case.get("beside", []), [])):
            managed = [NO_ALIAS.get(n, n) for n in names if n != SCHEDULER]
            if managed:
                self.programs.run(MANAGER, user, [
                    "--controllers=" + ",".join(managed), *self.plan.flags, *args])
            if SCHEDULER in names:
                self.programs.run(SCHEDULER, user, [] if managed else args)
        self.running = wanted
        time.sleep(SETTLE)
        self.programs.check()


class Batch:
    """Cases that run at once."""

    def __init__(self, session, cases, uids_of):
        self.session, self.cases, self.plan = session, cases, session.plan
        self.api, self.kinds = session.kinds.api, session.kinds
        self.hands = []
        for case in cases:
            shared = kubelets_of(case) if shares_nodes(case) and not self.plan.solo else {}
            place = Place(next(session.cluster.numbers), self.kinds, shared, uids_of(case),
                          self.plan.zones)
            self.hands.append(Hand(Api(session.cluster.port, KUBECTL), self.kinds, place))

    def run(self):
        cluster = self.session.cluster
        first, offset = cluster.revision() + 1, cluster.audited(0)[1]
        for hand in self.hands:
            name = hand.place.namespace("default")
            self.api.ask("POST", "/api/v1/namespaces", {
                "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            hand.account(name)
        with Kubelets(Api(cluster.port, KUBELET), self.nodes()) as kubelets:
            for case, hand in zip(self.cases, self.hands):
                for name in kubelets_of(case):
                    self.know_node(hand, name)
            self.session.start(self.cases[0])
            given_at, start = self.play()
            if kubelets.error:
                raise kubelets.error
        self.session.programs.check()
        lines = lines_of(cluster.history(first), cluster.audited(offset)[0], self.kinds)
        for case, hand in zip(self.cases, self.hands):
            until = until_of(case, self.plan)
            end = since_epoch(start) + int(until * 1e9)
            found = record([line for line in lines if line["t"] <= end], hand.place,
                           since_epoch(start), left_out)
            yield case, outcome_of(found, until, kubelets_of(case),
                                   (given_at - start).total_seconds()), hand.refused

    def nodes(self):
        """The nodes of kubelets by their real names."""
        out = {}
        for case, hand in zip(self.cases, self.hands):
            for name, labels in kubelets_of(case).items():
                out[hand.place.name(name)] = hand.place.zoned(labels) if self.plan.zones else labels
        return out

    def know_node(self, hand, name):
        code, node = self.api.ask("GET", f"/api/v1/nodes/{hand.place.name(name)}")
        if code == 200:
            hand.place.made({"name": "nodes"}, node)

    def play(self):
        """Gives what is given and asks the steps; (when it was given, the start)."""
        given_at = now()
        start = given_at + datetime.timedelta(seconds=max(self.plan.lead, len(self.cases) / 8))
        if self.plan.aligned:
            start = next_aligned(start)
            given_at = start - datetime.timedelta(seconds=self.plan.lead)
            sleep_until(given_at)
        for hand in self.hands:
            hand.place.begin(start)
        with concurrent.futures.ThreadPoolExecutor(len(self.cases)) as pool:
            # The first exception that a case's thread ended with is raised here.
            list(pool.map(lambda both: self.play_case(*both, start), zip(self.cases, self.hands)))
        sleep_until(start + datetime.timedelta(
            seconds=max(until_of(c, self.plan) for c in self.cases) + 0.5))
        return given_at, start

    def play_case(self, case, hand, start):
        for tree in case.get("given", []):
            hand.create(tree)
        time.sleep(1.0)
        for pod in case.get("ready", []):
            hand.do_patch({"resource": f"pods/{pod}", "type": "merge", "subresource": "status",
                           "patch": {"status": RUNNING}})
        if now() > start:
            raise RuntimeError(f'{case["name"]}: what is given took longer than the lead')
        steps = sorted(case.get("steps", []), key=lambda step: nanoseconds(step["at"]))
        for step in steps:
            at = nanoseconds(step["at"])
            if at / 1e9 <= until_of(case, self.plan):
                sleep_until(start + datetime.timedelta(microseconds=at // 1000))
                hand.do(step)
        hand.api.close()


def next_aligned(when):
    """The next 30.25th second of an even minute that is not near the end of an hour."""
    at = when.replace(second=30, microsecond=250000)
    while at < when or at.minute % 2 or at.minute > 54:
        at += datetime.timedelta(minutes=1)
    return at
