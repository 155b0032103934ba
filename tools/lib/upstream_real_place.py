"""Where a case lives in a real cluster: many cases run side by side, each in namespaces of its own.

`Place.into` writes a case's objects as they are sent: namespaces and objects without one get the
case's suffix, times are moved to the day of the recording, uids are those that the real objects
have. `Place.back` takes the suffix, and the numbers of minutes in the names of Jobs, out again.
"""
import datetime
import re

from upstream_record import EPOCH, TIME, UID

# No generated name has such letters.
SUFFIX = "-case{:03}"
SYSTEM = {"kube-system", "kube-node-lease", "kube-public"}
# A CustomResourceDefinition's name says what it defines.
UNNAMED = {"CustomResourceDefinition", "APIService"}
# Fields that name an object that has no namespace.
REFERENCES = {"nodeName", "volumeName", "storageClassName", "priorityClassName", "holderIdentity",
              "kubernetes.io/hostname"}
ZONES = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
# The minute in which a case begins, as a CronJob counts it in the names of its Jobs.
MINUTE = int(EPOCH.timestamp()) // 60
MINUTES = re.compile(r"(?<=-)28928\d{3}\b")
REAL_MINUTES = re.compile(r"(?<=-)(2[89]|3\d)\d{6}\b")
START = EPOCH + datetime.timedelta(seconds=30.25)


class Place:
    """`shared`: names of nodes that all cases have in common. `began` is the real start."""

    def __init__(self, number, kinds, shared, uids, zones=False):
        self.suffix = SUFFIX.format(number)
        self.kinds, self.shared, self.uids, self.zones = kinds, set(shared), uids, zones
        self.real_uids = {}
        self.began = None

    def begin(self, when):
        self.began = when

    def namespace(self, name):
        return name if name in SYSTEM else name + self.suffix

    def name(self, name):
        if not name or name in self.shared or name.startswith("system-"):
            return name
        return name + self.suffix

    def object(self, tree):
        """An object with its kind, as it is sent."""
        kind = self.kinds.of(tree)
        out = self.into(tree)
        meta = out.setdefault("metadata", {})
        if kind["namespaced"]:
            meta["namespace"] = self.namespace(tree["metadata"].get("namespace", "default"))
            if kind["kind"] == "Lease" and meta["namespace"] == "kube-node-lease":
                meta["name"] = self.name(meta["name"])
        elif tree["kind"] not in UNNAMED:
            if "name" in meta:
                meta["name"] = self.name(meta["name"])
            if "generateName" in meta:
                # The suffix comes before the letters: it is taken out of the whole name.
                meta["generateName"] = meta["generateName"].rstrip("-") + self.suffix + "-"
        if tree["kind"] == "Node" and self.zones:
            meta["labels"] = self.zoned(meta.get("labels", {}))
        return out

    def zoned(self, labels):
        """Each case has zones of its own: the health of a zone is that of all its nodes."""
        mine = {z: labels[z] + self.suffix for z in ZONES if z in labels}
        return {**labels, **(mine or {ZONES[0]: "none" + self.suffix})}

    def into(self, value, field=""):
        if isinstance(value, dict):
            # An address is a Service's alone in all namespaces: the API server gives another.
            return {k: self.into_field(k, v, value) for k, v in value.items()
                    if k not in ("clusterIP", "clusterIPs") or v in ("None", ["None"])}
        if isinstance(value, list):
            return [self.into(v, field) for v in value]
        if isinstance(value, str):
            if field in REFERENCES:
                return self.name(value)
            return self.text(value)
        return value

    def into_field(self, field, value, parent):
        if field in ("name", "namespace") and parent.get("kind") == "Node" and field == "name":
            return self.name(value)
        if field == "name" and "uid" in parent and "apiVersion" in parent and "kind" in parent:
            kind = self.kinds.by_kind.get((parent["apiVersion"], parent["kind"]))
            return value if kind is None or kind["namespaced"] else self.name(value)
        if field == "namespace":
            return self.namespace(value) if value else value
        if field == "claimRef":
            return {"namespace": self.namespace("default"), **self.into(value)}
        if field == "values" and parent.get("key") in ("kubernetes.io/hostname", "metadata.name"):
            return [self.name(v) for v in value]
        if field == "values" and parent.get("scopeName") == "PriorityClass":
            return [self.name(v) for v in value]
        return self.into(value, field)

    def text(self, value):
        value = TIME.sub(self.moved, UID.sub(self.real_uid, value))
        return MINUTES.sub(lambda m: str(int(m[0]) + self.minutes()), value)

    def moved(self, match):
        when = datetime.datetime.fromisoformat(match[0].replace("Z", "+00:00"))
        there = self.began + (when - START)
        return there.strftime("%Y-%m-%dT%H:%M:%S" + (".%f" if match[1] else "")) + "Z"

    def real_uid(self, match):
        """A uid that ksim gives under the case's seed is that of the real object; others, which
        no object of the case has, stay."""
        return self.real_uids.get(self.uids.get(match[0]), match[0])

    def made(self, kind, tree):
        """The API server made an object of the case."""
        meta = tree["metadata"]
        key = (kind["name"], self.back(meta.get("namespace", "")), self.back(meta["name"]))
        self.real_uids[key] = meta["uid"]

    def minutes(self):
        return int(self.began.timestamp()) // 60 - MINUTE

    def back(self, text):
        """A text of the real cluster without what is of its place."""
        text = text.replace(self.suffix, "")
        return REAL_MINUTES.sub(lambda m: str(int(m[0]) - self.minutes()), text)

    def owns(self, resource, namespace, name):
        """Whether an object is of this case."""
        # Events of what has no namespace are in "default".
        if namespace and namespace not in SYSTEM and namespace != "default":
            return namespace.endswith(self.suffix)
        return self.suffix in name
