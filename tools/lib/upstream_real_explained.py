"""Differences from what real binaries did that no class (upstream_real_outcome.py) covers, each
with its reason. An entry that explains nothing any more is an error.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Explained:
    """`what`: how the difference's object begins, "" for any; `cases` are names of cases of the
    file, `versions` those it holds for."""
    kind: str
    cases: tuple
    what: str
    why: str
    versions: tuple = ("1.30", "1.36")

    def covers(self, kind, version, case, difference):
        return kind == self.kind and version in self.versions and case in self.cases and \
            difference["what"].startswith(self.what)


EXPLAINED = (
    Explained("nodelifecycle", ("comes-and-goes-between-looks",), "events",
              "Whether a node that comes and goes is seen is decided by when the controller, which "
              "looks every five seconds since its start, looks."),
    Explained("nodelifecycle", ("not-ready-zone-but-for-one",), "nodes/n",
              "The passes for taints NoSchedule and NoExecute run beside one another, and which "
              "comes first decides the order of the taints."),
    Explained("tainteviction", ("pod-comes-to-a-tainted-node",), "pods/default/a",
              "A kubelet refuses a pod that does not tolerate its node's NoExecute, and what has "
              "failed is deleted at once; the kubelets of the recording take every pod."),
    *(Explained("volumescheduling", ("claim-comes-later",), what,
                "The scheduler's queue and its cache of claims are told of a new claim by two "
                "goroutines: who is tried in between finds no claim, which is an error.",
                ("1.30",)) for what in ("pods/default/p", "events")),
    Explained("endpointslice", ("ep-service-deleted",), "endpoints/default/web",
              "The API server takes a Service's Endpoints away with it, and the controller deletes "
              "them as well: who is first is chance.", ("1.36",)),
    Explained("endpointslice", ("mirror-slice-changed",), "endpointslices/default/web-*",
              "OPEN: the real 1.36 takes the label away again, its guest and the real 1.30 do not; "
              "recorded once, on a busy machine.", ("1.36",)),
    Explained("job", ("a-pod-is-deleted",), "pods/default/j-*",
              "The kubelet's last deletion and the Job controller's patch of the finalizer race: "
              "who comes second makes the pod go."),
    Explained("disruption", ("evicted-two-at-once",), "final",
              "Three evictions come at one moment, and the budget lets two of them pass: which of "
              "the others comes first is chance."),
)
