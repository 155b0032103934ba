"""tools/upstream-real: how it places cases side by side, reads etcd's history and an audit log, and
which differences of real time it lets pass. No real binary runs here.
"""
import datetime
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/lib"))
from upstream_real_kubelet import plan_of  # noqa: E402
from upstream_real_lines import as_served, lines_of, record  # noqa: E402
from upstream_real_outcome import CLASSES, FORMS, compared, outcome_of  # noqa: E402
from upstream_real_place import Place  # noqa: E402
from upstream_real_plan import PLANS, batches, unfit, until_of  # noqa: E402
from upstream_record import EPOCH  # noqa: E402

SEEDED = "d2eb9045-54c9-413b-9de7-616cda1949db"
REAL = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
POD = {"root": "/api/v1", "name": "pods", "kind": "Pod", "namespaced": True, "version": "v1"}
NODE = {"root": "/api/v1", "name": "nodes", "kind": "Node", "namespaced": False, "version": "v1"}
BEGAN = datetime.datetime(2026, 3, 4, 5, 6, 30, 250000, tzinfo=datetime.timezone.utc)


class Kinds:
    by_kind = {("v1", "Pod"): POD, ("v1", "Node"): NODE}

    def of(self, tree):
        return self.by_kind[(tree["apiVersion"], tree["kind"])]


def placed(**more):
    place = Place(7, Kinds(), (), {SEEDED: ("pods", "default", "o")}, **more)
    place.begin(BEGAN)
    place.made(POD, {"metadata": {"name": "o", "namespace": "default-case007", "uid": REAL}})
    return place


class Places(unittest.TestCase):
    def test_an_object_goes_where_its_case_is(self):
        sent = placed().object({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": "o", "uid": SEEDED}]},
            "spec": {"nodeName": "n1", "priorityClassName": "system-node-critical"},
            "status": {"startTime": "2025-01-01T00:00:40Z"}})
        self.assertEqual(sent["metadata"]["namespace"], "default-case007")
        there = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "x"}}
        self.assertEqual(placed().object(there)["metadata"]["namespace"], "x-case007")
        self.assertEqual(sent["metadata"]["name"], "a")
        self.assertEqual(sent["metadata"]["ownerReferences"][0]["uid"], REAL)
        self.assertEqual(sent["spec"]["nodeName"], "n1-case007")
        self.assertEqual(sent["spec"]["priorityClassName"], "system-node-critical")
        self.assertEqual(sent["status"]["startTime"], "2026-03-04T05:06:40Z")

    def test_what_has_no_namespace_has_a_name_of_its_own(self):
        sent = placed(zones=True).object({"apiVersion": "v1", "kind": "Node",
                                          "metadata": {"generateName": "n-"}})
        self.assertEqual(sent["metadata"]["generateName"], "n-case007-")
        self.assertEqual(placed().back("n-case007-x2b4c"), "n-x2b4c")
        self.assertIn("topology.kubernetes.io/region", sent["metadata"]["labels"])

    def test_the_name_of_a_cron_jobs_job_says_the_minute(self):
        place = placed()
        there = place.text("c-28928161")
        self.assertNotEqual(there, "c-28928161")
        self.assertEqual(place.back(there), "c-28928161")

    def test_a_uid_of_nobody_stays(self):
        nobody = "00000000-0000-0000-0000-000000000001"
        self.assertEqual(placed().text(nobody), nobody)


def at(seconds):
    when = EPOCH + datetime.timedelta(seconds=seconds)
    return when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def pod(revision, **status):
    return {"apiVersion": "v1", "kind": "Pod", "status": status, "metadata": {
        "name": "a", "namespace": "default-case007", "uid": REAL,
        "resourceVersion": str(revision)}}


def entry(user, verb, seconds, code, answer, subresource=""):
    return {"stage": "ResponseComplete", "verb": verb, "user": {"username": user},
            "requestURI": "/x", "stageTimestamp": at(seconds), "responseObject": answer,
            "requestReceivedTimestamp": at(seconds - 0.1),
            "responseStatus": {"code": code}, "objectRef": {
                "resource": "pods", "namespace": "default-case007", "name": "a",
                "subresource": subresource}}


class Lines(unittest.TestCase):
    def found(self, entries):
        history = [(5, pod(5), None), (6, pod(6, phase="Failed"), pod(5)), (7, None, pod(6))]
        lines = lines_of(history, entries, Kinds())
        return record(lines, placed(), 0, lambda *_: False)

    def test_a_commit_is_of_the_request_whose_answer_bears_its_revision(self):
        found = self.found([
            entry("system:admin", "create", 1, 201, pod(5)),
            entry("system:recorded", "update", 2, 409, {"kind": "Status"}, "status"),
            entry("system:recorded", "patch", 3, 200, pod(6), "status"),
            entry("system:recorded", "delete", 4, 200, {"kind": "Status"})])
        self.assertEqual(found["writes"], {"pods/default/a": [[
            [2.0, "update status", 409, {}],
            [3.0, "patch status", 200, {"status.phase": "Failed"}],
            [4.0, "delete", 200, "gone"]]]})

    def test_an_answer_that_bears_an_old_revision_is_of_another_request(self):
        """The answer of a collection bears none, that of a patch without effect an old one."""
        gone = entry("system:recorded", "deletecollection", 2, 200, {"kind": "PodList"})
        del gone["objectRef"]["name"]
        found = self.found([
            entry("system:recorded", "create", 1, 201, pod(5)), gone,
            entry("system:admin", "patch", 3, 200, pod(6)),
            entry("system:recorded", "delete", 4, 200, {"kind": "Status"})])
        (history,) = found["writes"]["pods/default/a"]
        self.assertEqual([write[1] for write in history], ["create", "delete"])
        later = entry("system:admin", "update", 3.5, 200, pod(8))
        later["objectRef"]["name"] = "b"
        stale = entry("system:admin", "patch", 9, 200, pod(6))
        found = self.found([entry("system:recorded", "create", 1, 201, pod(5)), gone,
                            entry("system:recorded", "delete", 3, 200, {"kind": "Status"}),
                            later, stale])
        (history,) = found["writes"]["pods/default/a"]
        self.assertEqual([write[1] for write in history],
                         ["create", "deletecollection", "delete"])

    def test_the_writes_of_others_are_not_recorded(self):
        found = self.found([
            entry("system:recorded", "create", 1, 201, pod(5)),
            entry("system:admin", "patch", 2, 200, pod(6), "status"),
            entry("system:beside", "delete", 3, 200, {"kind": "Status"})])
        (history,) = found["writes"]["pods/default/a"]
        self.assertEqual([write[1] for write in history], ["create"])

    def test_what_is_stored_otherwise_is_read_as_it_is_served(self):
        stored = {"apiVersion": "discovery.k8s.io/v1beta1", "kind": "EndpointSlice", "endpoints": [
            {"nodeName": "n", "topology": {"topology.kubernetes.io/zone": "z",
                                           "kubernetes.io/hostname": "n"}},
            {"topology": {"kubernetes.io/hostname": "m"}}]}
        served = as_served(stored)
        self.assertEqual(served["apiVersion"], "discovery.k8s.io/v1")
        self.assertEqual(served["endpoints"], [
            {"nodeName": "n", "zone": "z"},
            {"deprecatedTopology": {"kubernetes.io/hostname": "m"}}])
        self.assertEqual(as_served(pod(5)), pod(5))

    def test_a_record_without_times_begins_with_what_is_given(self):
        found = outcome_of({"writes": {"pods/default/a": [[
            [-25.0, "patch", 200, {"a": 1}], [1.0, "patch", 200, {"b": "+1s"}],
            [9.0, "patch", 200, {"c": 1}]]]}, "final": ["nodes/n", "nodes/m"],
            "events": [[-25.0, -25.0, 1, "early"], [1.0, 2.0, 2, "said"]]}, 5.0, ["n"])
        self.assertEqual(found, {"writes": {"pods/default/a": [[
            ["patch", 200, {"b": "some time"}]]]}, "events": [[2, "said"]], "final": ["nodes/m"]})


def outcome(*histories, events=(), final=()):
    return {"writes": {"k": list(histories)} if histories else {}, "events": list(events),
            "final": list(final)}


def status(**fields):
    return ["update status", 200, {f"status.{k}": v for k, v in fields.items()}]


class Compares(unittest.TestCase):
    def classes(self, a, b):
        there, back = ([d["class"] for d in compared(*sides)] for sides in ((a, b), (b, a)))
        self.assertEqual(there, back)
        return there

    def test_equal_is_no_difference(self):
        self.assertEqual(self.classes(outcome([status(n=1)]), outcome([status(n=1)])), [])

    def test_each_class_has_its_reason(self):
        self.assertEqual({name for name, _ in FORMS if name} | {"event-counts"}, set(CLASSES))
        readme = (ROOT / "tests/whole/actors/recorded/real/README.md").read_text("utf-8")
        for name in CLASSES:
            self.assertIn(f"\n| `{name}` | ", readme)

    def test_a_conflict_is_tried_again(self):
        refused = ["update status", 409, {}]
        self.assertEqual(self.classes(outcome([status(n=1)]), outcome([refused, status(n=1)])),
                         ["conflicts"])
        self.assertEqual(self.classes(outcome(), outcome([refused])), ["conflicts"])

    def test_another_refusal_is_a_difference(self):
        refused = ["update status", 422, {}]
        self.assertEqual(self.classes(outcome([status(n=1)]), outcome([refused, status(n=1)])),
                         [None])

    def test_one_status_for_two_is_the_same(self):
        one, two = [status(n=2, m=1)], [status(n=1, m=1), status(n=2)]
        self.assertEqual(self.classes(outcome(one), outcome(two)), ["status-batched"])

    def test_a_time_that_is_written_again_is_no_change(self):
        one, two = ["patch", 200, {"a": 1, "t": "some time"}], ["patch", 200, {"a": 1}]
        self.assertEqual(self.classes(outcome([one]), outcome([two])), ["times"])
        self.assertEqual(self.classes(outcome([["patch", 200, {"t": 1}], one]), outcome([two])),
                         [None])

    def test_another_status_in_the_end_is_a_difference(self):
        one, two = [status(n=2)], [status(n=2), status(n=1)]
        self.assertEqual(self.classes(outcome(one), outcome(two)), [None])

    def test_the_order_of_other_writes_counts(self):
        a, b = ["patch", 200, {"a": 1}], ["patch", 200, {"b": 1}]
        self.assertEqual(self.classes(outcome([a, b]), outcome([b, a])), [None])

    def test_a_write_that_is_missing_is_a_difference(self):
        a = ["patch", 200, {"a": 1}]
        self.assertEqual(self.classes(outcome([a, status(n=1)]), outcome([status(n=1)])), [None])
        self.assertEqual(self.classes(outcome([a]), outcome()), [None])

    def test_events_may_come_more_often_but_not_others(self):
        self.assertEqual(self.classes(outcome(events=[[1, "x"]]), outcome(events=[[3, "x"]])),
                         ["event-counts"])
        self.assertEqual(self.classes(outcome(events=[[1, "x"]]), outcome(events=[[1, "y"]])),
                         [None, None])

    def test_what_is_there_at_the_end_counts(self):
        self.assertEqual(self.classes(outcome(final=["a"]), outcome()), [None])


class Plans(unittest.TestCase):
    CASE = {"name": "c", "controllers": ["job"], "beside": [], "cluster": {}, "until": "30s",
            "steps": [{"at": "2s", "delete": {"resource": "pods/a"}}]}

    def test_what_is_ksims_alone_is_not_recorded(self):
        plan = PLANS["job"]
        self.assertEqual(unfit(self.CASE, plan, "1.30"), "")
        for more in ({"faults": [{}]}, {"until": "500s"}, {"versions": ["1.36"]},
                     {"steps": [{"at": "0s", "drain": {"node": "n"}}]}):
            self.assertNotEqual(unfit({**self.CASE, **more}, plan, "1.30"), "", more)

    def test_what_looks_at_all_nodes_is_alone(self):
        self.assertEqual(len(batches([self.CASE, self.CASE], PLANS["job"])), 1)
        self.assertEqual(len(batches([self.CASE, self.CASE], PLANS["daemonset"])), 2)
        self.assertEqual(until_of(self.CASE, PLANS["job"]), 30.0)
        self.assertEqual(until_of(self.CASE, PLANS["daemonset"]), 10.0)

    def test_pods_end_as_their_annotation_says(self):
        spec = {"containers": [{"name": "c"}]}
        text = "1 after 3s, 0 after 5s; runs"
        pod_of = {"metadata": {"annotations": {"exit.ksim.dev/c": text}}, "spec": spec}
        self.assertEqual(plan_of(pod_of, 0), [(1, 3.0), (0, 5.0)])
        self.assertEqual(plan_of(pod_of, 4), [None])


if __name__ == "__main__":
    unittest.main()
