"""What tools/apiserver-diff excuses: deviations of ksim that stand in docs/fidelity.md.

Each excuse names the words of docs/fidelity.md that give its reason; a test looks for them there.
"""
import re

from api_answers import NOTHING, Difference, Marked
from api_bodies import KINDS


class Excuse:
    """`holds(request, difference)` is true of a difference that the excuse explains."""

    def __init__(self, name, reason, holds):
        self.name, self.reason, self.holds = name, reason, holds


ORDER = ["reason", "message", "field"]


def is_text(*values):
    return all(isinstance(v, str) for v in values)


def same_but_for(pattern, d):
    """Two texts that are the same where what matches the pattern is left out."""
    return is_text(d.real, d.found) and re.sub(pattern, "", d.real, flags=re.DOTALL) == re.sub(
        pattern, "", d.found, flags=re.DOTALL)


def is_discovery(request):
    return re.fullmatch(r"/(api|apis)(/[^/]*){0,2}/?", request["path"]) is not None


def established(request, d):
    return (request["path"].endswith("customresourcedefinitions") and
            d.place[:2] == ("body", "status"))


def patched_object(_, d):
    return (is_text(d.real, d.found) and
            re.search('Invalid value: ["`]({|map)', d.real) is not None and
            same_but_for(r'Invalid value: ("(\\.|[^"\\])*"|`[^`]*`)|in scheme "[^"]*"', d))


def changed_pod_fields(_, d):
    return (is_text(d.real, d.found) and "updates may not change" in d.real and
            same_but_for(r"\n.*", d))


def column(_, d):
    if "cells" in d.place:
        return str(d.real).lower() == d.found or d.place[-1] != 0
    return "columnDefinitions" in d.place or d.place[-1] == "cells"


def build(request, d):
    return request["path"].startswith("/version") and d.place[-1] not in ("gitVersion", "major",
                                                                          "minor")


def not_there(request, d):
    return is_discovery(request) and d.found is NOTHING


def own_address(request, d):
    in_protobuf = request["path"].strip("/") == "api" and d.place[0] == "body" and isinstance(
        d.real, list)
    return in_protobuf or "serverAddressByClientCIDRs" in d.place


def paths(request, d):
    return request["path"] == "/" and d.place == ("body", "paths")


def go_struct(_, d):
    return (is_text(d.real, d.found) and
            re.search(r'Invalid value: (&?\w+\.\w+|\{"[A-Z])', d.real) is not None and
            same_but_for(r"Invalid value: .*?: (?=field is immutable|cannot change)", d))


def phase_transition(_, d):
    return "lastPhaseTransitionTime" in d.place


def selector_words(_, d):
    return is_text(d.real, d.found) and d.real.replace("characters", "bytes") == d.found


def newer_fields(request, d):
    """A message in protobuf has fields that are zero, those of 1.36 too."""
    if not (isinstance(d.real, list) and isinstance(d.found, list)):
        return False
    zero = (0, "", [])
    known = [f for f in d.found if f in d.real or not (isinstance(f, list) and f[-1] in zero)]
    return len(known) < len(d.found) and known == d.real


def old_autoscaler(_, d):
    return "f:targetCPUUtilizationPercentage" in d.place or (
        "f:scaleTargetRef" in d.place and d.real is NOTHING)


def old_etcd(_, d):
    """A cache that never hears how far etcd is."""
    told = str(d.answer and d.answer["body"])
    return "Too large resource version" in told or "RequestWatchProgress" in told


def same_apply(_, d):
    return d.place[-1] == "time" and "managedFields" in d.place and d.real is NOTHING


def cache_begins(request, d):
    """ksim's 429 of a custom resource: the whole answer is another."""
    return "gadgets" in request["path"] and d.ours["code"] == 429


def told_twice(request, d):
    """The same errors, some of them again."""
    if "causes" in d.place and isinstance(d.real, list) and isinstance(d.found, list):
        return {str(c) for c in d.real} == {str(dict(sorted(c.items(), key=lambda i: ORDER.index(
            i[0])))) for c in d.found}
    return False


def health(request, d):
    return "verbose" in request.get("query", {}) and d.place == ("body",)


def empty_map(_, d):
    return is_text(d.real, d.found) and (
        d.real.replace("map[string]string{}", "map[string]string(nil)") == d.found)


def pod_log(request, d):
    return request["path"].endswith("/log")


def apply_of_zeros(request, d):
    return "endpointslices" in request["path"] and "Apply failed" in str(d.answer["body"])


def without_a_body(request, d):
    told = str(d.answer["body"])
    return request["method"] in ("POST", "PUT", "PATCH") and "body" not in request and (
        "406: Not Acceptable" in told)


def strategic_words(request, d):
    kind = request.get("headers", {}).get("Content-Type", "")
    return "strategic" in kind and is_text(d.real, d.found) and (
        d.real.rsplit('":', 1)[0] == d.found.rsplit('":', 1)[0]) and "Invalid value" in d.real


def token_managers(request, d):
    return request["path"].endswith("/token") and d.place[:2] == ("body", "metadata")


def gadgets_in_protobuf(request, d):
    accepts = request.get("headers", {}).get("Accept", "")
    return "gadgets" in request["path"] and accepts.startswith("application/vnd") and (
        d.place == ("headers", "content-type"))


def scheme_place(_, d):
    return same_but_for(r'in scheme "[^"]*"', d)


def typed_apply(request, d):
    """Every difference of an answer that upstream gives with 500."""
    applies = request.get("headers", {}).get("Content-Type") == "application/apply-patch+yaml"
    if not applies or d.place[0] not in ("code", "body"):
        return False
    return d.real in (500, NOTHING) or "failed to create typed patch object" in str(d.real) or (
        d.place == ("body", "reason") and d.found == "BadRequest")


def metadata_alone(request, d):
    """Metadata that is wrong is told as often as upstream's validation of the kind tells it."""
    kinds = [k for k in KINDS if not k.validated and k.resource in request["path"].split("/")]
    return bool(kinds) and d.place[:1] == ("body",) and (
        "causes" in d.place or "metadata." in str(d.real))


def newer_marker(_, d):
    return "f:service" in d.place and d.place[-1] in ("f:port", ".", "f:number")


def no_program_runs(request, d):
    return request["path"].endswith("/exec")


EXCUSES = [
    Excuse("crd-established", "One server sees to a CustomResourceDefinition",
           established),
    Excuse("patched-object", 'The object in "patch: Invalid value" has its fields in order',
           patched_object),
    Excuse("changed-pod-fields", "A refused pod update lists its changed fields",
           changed_pod_fields),
    Excuse("column", "Columns of tables are those of 1.36, have no descriptions, and all are of "
           "type string", column),
    Excuse("build", "`/version` tells the version of Kubernetes", build),
    Excuse("discovery", "Discovery names the kinds that ksim has", not_there),
    Excuse("own-address", "`/api` names no address of the server", own_address),
    Excuse("paths", "Discovery names the kinds that ksim has", paths),
    Excuse("go-struct", "Bad values that are structs other than label selectors print as JSON",
           go_struct),
    Excuse("phase-transition", "A PersistentVolume does not tell when its phase changed",
           phase_transition),
    Excuse("selector-words", "Selector and label messages are those of 1.36", selector_words),
    Excuse("newer-fields", "Fields are those of 1.36 in all profiles", newer_fields),
    Excuse("old-autoscaler", "A default CPU target of autoscaling/v1 has no manager",
           old_autoscaler),
    Excuse("old-etcd", "The cache of a kube-apiserver 1.36 needs an etcd of 3.4.25 or later",
           old_etcd),
    Excuse("strategic-words", "may name another Go type", strategic_words),
    Excuse("token-managers", "a TokenRequest has no managers", token_managers),
    Excuse("gadgets-in-protobuf", "whoever accepts only protobuf of a custom resource",
           gadgets_in_protobuf),
    Excuse("same-apply", "A manager that applies what is there has the time of that",
           same_apply),
    Excuse("cache-begins", "as those of custom kinds do; upstream fills all when it starts",
           cache_begins),
    Excuse("told-twice", "A problem is told once where an update of upstream's tells it twice",
           told_twice),
    Excuse("health", "a verbose `/readyz` lists fewer checks", health),
    Excuse("empty-map", "print as if they were not there", empty_map),
    Excuse("pod-log", "`pods/log` goes by the pod's status in the API", pod_log),
    Excuse("apply-of-zeros", "A server-side apply does not conflict over an empty struct",
           apply_of_zeros),
    Excuse("without-a-body", "A write without a body that accepts nothing is 415", without_a_body),
    Excuse("scheme-place", "a server built elsewhere names another", scheme_place),
    Excuse("typed-apply", "A field of a wrong type is refused as on create (400), not with "
           "upstream's 500", typed_apply),
    Excuse("metadata-alone", "the metadata alone is validated", metadata_alone),
    Excuse("newer-marker", "Fields are those of 1.36 in all profiles", newer_marker),
    Excuse("no-program-runs", "exec, attach and port-forward of a pod and proxy of pods, nodes and "
           "services are 501",
           no_program_runs),
]


def excuse_for(request, difference):
    """The excuse of a difference, or None."""
    sides = [str(v) if isinstance(v, Marked) else v for v in (difference.real, difference.found)]
    answers = difference.answer, difference.ours
    difference = Difference(difference.place, *sides)
    difference.answer, difference.ours = answers
    for excuse in EXCUSES:
        if excuse.holds(request, difference):
            return excuse
    return None
