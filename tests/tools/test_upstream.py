"""usage: test_upstream.py KSIM

tools/upstream-record and tools/upstream-diff: how they read a trace, what they hold to be equal and
what not, what they draw. No guest runs here.
"""
import contextlib
import copy
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/lib"))
import upstream_diff  # noqa: E402
import upstream_record_main as tool  # noqa: E402
from upstream_explained import EXPLAINED  # noqa: E402
from upstream_outcomes import outcome_of, scenario_of  # noqa: E402
from upstream_record import Comparison, Recorder, flat, to_line  # noqa: E402
from upstream_world import CaseError, actors_of, merged, nanoseconds, native, run, \
    with_guests  # noqa: E402
from upstream_workloads import WORKLOADS, case_of  # noqa: E402

KSIM = sys.argv.pop()
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
        "status": {"allocatable": {"cpu": "4", "pods": "10"}}}
WEB = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
       "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}},
                             "spec": {"containers": [{"name": "c", "image": "i:1"}]}}}}
CASE = {"name": "scaled", "controllers": ["replicaset"], "beside": [], "cluster": {},
        "until": "20s", "given": [NODE],
        "steps": [{"at": "0s", "create": {"object": WEB}},
                  {"at": "5s", "patch": {"resource": "rs/web", "type": "merge",
                                         "patch": {"spec": {"replicas": 1}}}}]}


def recorded(case=None, version="1.30"):
    case = case or CASE
    recorder = run(KSIM, native(case, version), actors_of(case["controllers"], case["beside"]))
    return recorder.record()


class Reads(unittest.TestCase):
    def test_the_fold_is_what_ksim_get_shows(self):
        """The objects that a Recorder has of a run are those of `ksim get`."""
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace.jsonl")
            subprocess.run([KSIM, "run", "scenarios/scale.yaml", "-q", "--trace", str(trace)],
                           cwd=ROOT, check=True, capture_output=True)
            recorder = Recorder(lambda actor: False, 0)
            for line in trace.read_text("utf-8").splitlines():
                recorder.take(json.loads(line))
            for resource in ("pods", "replicasets", "nodes"):
                got = subprocess.run([KSIM, "get", str(trace), resource, "-A", "-o", "json"],
                                     check=True, capture_output=True, text=True).stdout
                shown = {}
                for item in json.loads(got)["items"]:
                    item["metadata"].pop("resourceVersion", None)
                    shown[item["metadata"]["name"]] = dict(flat("", item))
                folded = {name: tree for (r, _, name), tree in recorder.objects.trees.items()
                          if r == resource}
                self.assertEqual(folded, shown)
                self.assertTrue(folded)

    def test_a_record_has_no_names_uids_and_dates(self):
        record = recorded()
        text = to_line(record)
        self.assertNotRegex(text, r"web-[a-z0-9]{5}")
        self.assertNotRegex(text, r"[0-9a-f]{8}-[0-9a-f]{4}-")
        self.assertNotRegex(text, r"20\d\d-\d\d-\d\dT")
        pods = record["writes"]["pods/default/web-*"]
        # Nobody runs them: one request marks the pod that goes, and takes it away.
        self.assertEqual(sorted(len(history) for history in pods), [1, 3])
        created = pods[0][0]
        self.assertEqual(created[1:3], ["create", 201])
        self.assertAlmostEqual(created[0], 0.01, delta=0.05)
        self.assertEqual(created[3]["metadata.ownerReferences[0].uid"],
                         "uid of replicasets/default/web")
        self.assertEqual(created[3]["metadata.creationTimestamp"], "+0s")
        self.assertIn("Normal SuccessfulDelete ReplicaSet/web by replicaset-controller: "
                      "Deleted pod: web-*", [event[3] for event in record["events"]])
        self.assertEqual(record["final"].count("pods/default/web-*"), 1)

    def test_a_collection_is_what_was_in_it(self):
        """Nothing is told of the kinds of which a namespace has none."""
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}
        thing = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a",
                                                                       "namespace": "x"}}
        record = recorded({**CASE, "controllers": ["namespace"], "given": [space, thing],
                           "steps": [{"at": "0s", "delete": {"resource": "ns/x", "wait": False}}]})
        self.assertEqual(sorted(record["writes"]), ["configmaps/x/a", "namespaces/x"])
        self.assertEqual(record["writes"]["configmaps/x/a"][0][0][1:],
                         ["deletecollection Background", 200, "gone"])

    def test_a_refused_creation_has_no_name(self):
        """A guest's POST has the name in its body alone."""
        recorder = Recorder(lambda actor: True, 0)
        recorder.take({"kind": "request", "verb": "create", "actor": "a", "id": 1, "name": "a",
                       "resource": "configmaps", "namespace": "x", "subresource": "",
                       "params": {}})
        recorder.take({"kind": "response", "id": 1, "code": 403, "t": 0})
        self.assertEqual(list(recorder.record()["writes"]), ["configmaps/x/?"])

    def test_a_certificate_is_its_hash(self):
        record = recorded({**CASE, "controllers": ["root-ca-cert-publisher"], "steps": []})
        made = record["writes"]["configmaps/default/kube-root-ca.crt"][0][0][3]
        self.assertRegex(made["data['ca.crt']"], "^CERTIFICATE [0-9a-f]{8}$")

    def test_the_same_case_is_the_same_record(self):
        self.assertEqual(recorded(), recorded())

    def test_what_others_write_is_left_out(self):
        case = {**CASE, "controllers": ["kube-scheduler"], "beside": ["replicaset"]}
        record = recorded(case)
        self.assertEqual({write[1] for histories in record["writes"].values()
                          for history in histories for write in history}, {"create binding"})


class Compares(unittest.TestCase):
    def differences(self, change, tolerance=0.05):
        record = recorded()
        other = copy.deepcopy(record)
        change(other)
        return Comparison(tolerance).of_records(record, other)

    def test_equal_records(self):
        self.assertEqual(self.differences(lambda record: None), [])

    def test_pods_of_one_name_have_no_order(self):
        self.assertEqual(self.differences(
            lambda r: r["writes"]["pods/default/web-*"].reverse()), [])

    def test_a_write_more_a_code_a_field_an_event(self):
        def status(record):
            return record["writes"]["replicasets/default/web"][0]

        def code(record):
            status(record)[-1][2] = 409

        def field(record):
            record["writes"]["pods/default/web-*"][0][0][3]["spec.priority"] = 1

        def truth(record):  # in Python True is 1
            status(record)[-1][3]["status.replicas"] = True

        for change in (lambda r: status(r).append(status(r)[-1]), lambda r: status(r).pop(), code,
                       field, truth, lambda r: status(r).reverse(), lambda r: r["events"].pop(),
                       lambda r: r["final"].append("pods/default/x"),
                       lambda r: r["verdict"].append("limit"),
                       lambda r: r["writes"].pop("pods/default/web-*")):
            self.assertTrue(self.differences(change))

    def test_pods_of_one_second_rank_equal(self):
        """Which of them goes is drawn by lot; whether one goes is not, nor which of two seconds."""
        def pod(at, *more):
            return [[at, "create", 201, {"metadata.creationTimestamp": f"+{int(at)}s"}], *more]
        gone = [9.0, "delete", 200, "gone"]

        def same(expected, found):
            sides = ({"writes": {"pods/default/p-*": side}} for side in (expected, found))
            return not Comparison(0.05).of_records(*sides, parts=("writes",))
        self.assertTrue(same([pod(0.1, gone), pod(0.9)], [pod(0.1), pod(0.9, gone)]))
        self.assertFalse(same([pod(0.1, gone), pod(0.9)], [pod(0.1), pod(0.9)]))
        self.assertFalse(same([pod(0.1, gone), pod(1.9)], [pod(0.1), pod(1.9, gone)]))
        self.assertFalse(same([pod(0.1, gone), pod(0.9)], [pod(0.1), pod(0.5, gone)]))

    def test_times_within_the_tolerance(self):
        def later(record):
            record["writes"]["replicasets/default/web"][0][0][0] += 0.3
        self.assertTrue(self.differences(later))
        self.assertEqual(self.differences(later, 0.3), [])

    def test_the_mark_of_a_conflict_is_left_out(self):
        """The fault strikes the next write, whichever that is; an object more is one."""
        marked = {"pods/a": [{"kind": "Pod", upstream_diff.ANOTHER_WRITER: "since 15"}]}
        plain = {"pods/a": [{"kind": "Pod"}]}
        self.assertEqual(upstream_diff.state_differences(marked, plain), [])
        self.assertEqual(len(upstream_diff.state_differences(marked, {})), 1)

    def test_the_id_of_a_container_is_drawn(self):
        def state(letters):
            return {"pods/a": [{"status.containerStatuses[0].containerID":
                                "containerd://" + letters * 32}]}
        self.assertEqual(upstream_diff.state_differences(state("0a"), state("b1")), [])

    def test_a_program_may_take_its_time_to_start(self):
        same = Comparison(0.05).same
        self.assertTrue(same(-30.1, -29.1))
        self.assertTrue(same("-30s", "-29s"))
        self.assertFalse(same(-29.1, -20.0))

    def test_times_in_objects(self):
        same = Comparison(0.05).same
        self.assertTrue(same("+3.100s", "+3.120s"))
        self.assertFalse(same("+3.100s", "+3.200s"))
        self.assertFalse(same("+3s", "+4s"))
        self.assertTrue(Comparison(1).same("+3s", "+4s"))
        self.assertFalse(same("pod +3s", "job +3s"))


class Cases(unittest.TestCase):
    def test_durations(self):
        self.assertEqual(nanoseconds("1m30.5s"), 90_500_000_000)
        for wrong in ("", "5", "x", "5s later"):
            with self.assertRaises(CaseError):
                nanoseconds(wrong)

    def test_a_wrong_case_is_told(self):
        with self.assertRaisesRegex(CaseError, "no field untill"):
            merged({}, {"name": "x", "controllers": [], "untill": "3s"})
        with self.assertRaisesRegex(CaseError, "until is missing"):
            merged({}, {"name": "x", "controllers": []})
        with self.assertRaisesRegex(CaseError, "there is no controller|unknown controller|no such"):
            recorded({**CASE, "controllers": ["replicaSet"]})

    def test_a_guest_stands_for_the_controllers_that_are_recorded(self):
        case = {**CASE, "beside": ["kube-scheduler"]}
        cluster = with_guests(native(case, "1.30"), ["replicaset"], ["--v=2"], "/g",
                              "1.30")["spec"]["cluster"]
        self.assertEqual(cluster["components"], ["-kube-controller-manager", "kube-scheduler"])
        self.assertNotIn("controllers", cluster)
        [guest] = cluster["guests"]
        self.assertEqual(guest["file"], "/g/kube-controller-manager-1.30.wasm")
        self.assertEqual(guest["args"][-2:], ["--controllers=replicaset", "--v=2"])

    def test_a_guest_has_the_root_ca_that_ksim_publishes(self):
        case = {**CASE, "controllers": ["root-ca-cert-publisher"], "steps": []}
        scenario = native(case, "1.30")
        [guest] = with_guests(scenario, case["controllers"], [], "/g", "1.30")["spec"]["cluster"][
            "guests"]
        recorder = run(KSIM, scenario, lambda actor: True)
        published = recorder.objects.trees[("configmaps", "default", "kube-root-ca.crt")]
        self.assertEqual(guest["files"], {"/etc/kubernetes/ca.crt": published["data['ca.crt']"]})
        self.assertIn("--root-ca-file=/etc/kubernetes/ca.crt", guest["args"])

    def test_pods_that_are_ready_before_the_start(self):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
               "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i:1"}]}}
        recorder = run(KSIM, native({**CASE, "given": [NODE, pod], "ready": ["a"], "steps": []},
                                    "1.30"), lambda actor: True)
        tree = recorder.objects.trees[("pods", "default", "a")]
        self.assertEqual((tree["status.phase"], tree["status.conditions[0].status"]),
                         ("Running", "True"))

    def test_replay_finds_what_differs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.yaml")
            path.write_text(json.dumps({"cases": [CASE]}), "utf-8")
            line = tool.recorded_line(CASE, "1.30", recorded())
            target = pathlib.Path(folder, "x-1.30.jsonl")
            arguments = [str(path), "--ksim", KSIM, "--replay", "--version", "1.30"]
            for code, text in ((201, "1 of 1 cases equal"), (409, "expected 0.0")):
                line["writes"]["pods/default/web-*"][0][0][2] = code
                target.write_text(json.dumps(line) + "\n", "utf-8")
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    self.assertEqual(tool.main(arguments), 0 if code == 201 else 1)
                self.assertIn(text, out.getvalue())

    def test_cases_of_real_binaries_are_asked_as_steps(self):
        """Those cases come out the same when kubectl asks them in a scenario."""
        path = ROOT / "tests/whole/actors/recorded/replicaset-1.36.jsonl"
        for text in path.read_text("utf-8").splitlines()[:4]:
            case = json.loads(text)
            recorder = run(KSIM, scenario_of(case, "1.36"), lambda actor: False)
            self.assertEqual(outcome_of(recorder), case["outcome"], case["case"])


class Draws(unittest.TestCase):
    def test_a_seed_is_a_workload(self):
        for name in WORKLOADS:
            self.assertEqual(case_of(name, 3, True), case_of(name, 3, True))
            self.assertNotEqual(case_of(name, 3, False), case_of(name, 4, False))

    def test_every_workload_can_be_run(self):
        for name, workload in WORKLOADS.items():
            written = 0
            for seed in range(1, 6):
                case = case_of(name, seed, seed % 2 == 0)
                record = run(KSIM, native(case, "1.36"),
                             actors_of(workload.controllers, case.get("beside", []))).record()
                written += sum(map(len, record["writes"].values()))
            self.assertGreater(written, 5, name)

    def test_a_class_is_of_one_kind(self):
        def difference(pod, priority):
            return {"what": f"pods/default/{pod}", "write": 1,
                    "expected": [0.1, "create", 201, {"spec.priority": priority, "kind": "Pod"}],
                    "found": [0.1, "create", 201, {"spec.priority": 0, "kind": "Pod"}]}
        self.assertEqual(upstream_diff.class_of(difference("a-1", 1)),
                         upstream_diff.class_of(difference("b-22", 7)))
        gone = {"what": "pods/default/a", "write": 2, "expected": [1.0, "delete", 200, "gone"],
                "found": None}
        self.assertEqual(upstream_diff.class_of(gone), "pods: delete 200 gone -> nothing")

    def test_what_is_explained_stands_in_fidelity(self):
        document = re.sub(r"\s+", " ", (ROOT / "docs/fidelity.md").read_text("utf-8"))
        for name, pattern, reason in EXPLAINED:
            self.assertIn(name, WORKLOADS)
            re.compile(pattern)
            self.assertIn(reason, document)


if __name__ == "__main__":
    unittest.main()
