"""Headers, selectors and paths that tools/apiserver-diff draws from, good and bad ones."""
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata{};v=v1;g=meta.k8s.io"
PROTOBUF = "application/vnd.kubernetes.protobuf"
ACCEPTS = [
    "*/*", "application/yaml", PROTOBUF, PROTOBUF + ",application/json", TABLE,
    TABLE + ",application/json", PARTIAL.format(""), PARTIAL.format("List"),
    "application/json;q=0.5,application/yaml;q=0.9", "text/html", "application/*", "junk", "",
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
    "application/json;as=Nothing;v=v1;g=meta.k8s.io",
    "application/json;pretty=1", "text/plain,application/json;q=0.1", "application/xml, */*;q=0.1",
    "application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "application/cbor"]
CONTENT_TYPES = ["application/yaml", "text/plain", "", PROTOBUF, "application/json; charset=utf-8",
                 "application/x-www-form-urlencoded", "application/merge-patch+json", "junk"]
PATCHES = {"json": "application/json-patch+json", "merge": "application/merge-patch+json",
           "strategic": "application/strategic-merge-patch+json",
           "apply": "application/apply-patch+yaml"}
LABEL_SELECTORS = [
    "run={ns}", "run={ns},app=a", "app in (a,b)", "!app", "run!={ns}", "app notin (x)", "app==a",
    "app=a,", "a=b=c", "=", "app in", "x>1", "run", "app=" + "x" * 64, "-a=b", "app in ()", "a b"]
FIELD_SELECTORS = [
    "metadata.name={name}", "metadata.name!={name}", "metadata.namespace={ns}",
    "status.phase=Pending", "spec.nodeName=", "spec.replicas=1", "metadata.labels=x",
    "metadata.name", "metadata.name={name},status.phase!=Running", "=", "type=Opaque", "reason=R",
    "spec.unschedulable=true"]
NON_RESOURCES = [
    "/version", "/version/", "/healthz", "/livez", "/readyz", "/healthz/ping", "/livez/ping",
    "/readyz/nothing", "/api", "/api/", "/apis", "/apis/", "/api/v1", "/apis/apps",
    "/apis/apps/v1", "/apis/batch", "/apis/batch/v1", "/apis/coordination.k8s.io/v1",
    "/apis/policy/v1", "/apis/nothing", "/apis/nothing/v1", "/apis/apps/v9", "/api/v2",
    "/apis/events.k8s.io", "/apis/autoscaling", "/apis/networking.k8s.io/v1",
    "/apis/storage.k8s.io/v1", "/nothing", "/api/v1/nothing", "/api/v1/namespaces/{ns}/nothing",
    "/apis/apps/v1/namespaces/{ns}/pods", "/api/v1/replicasets", "/openapi/v3/nothing",
    "/apis/apps/v1/", "/api/v1/namespaces/{ns}/pods/", "/api/v1//pods",
    "/metrics/nothing", "/openapi", "/"]
