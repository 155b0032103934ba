"""Makes answers of two API servers comparable for tools/apiserver-diff, and lists what differs.

What must differ from server to server is replaced by a word for it: the times of the server, the
ends of generated names, the script's namespace. Uids and resource versions are paired: the version
that one server gives where the other gives a certain one must be that one wherever they come again,
so that an update without an effect, or a second one, shows.
"""
import json
import re

# Headers that clients act upon. The others tell of the connection or of this server alone: Date,
# Content-Length, Connection, Audit-Id, and those of priority and fairness, which is switched off.
HEADERS = ["content-type", "warning", "retry-after", "cache-control", "vary", "location", "allow",
           "etag", "x-content-type-options", "www-authenticate", "content-encoding"]
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Times of the script itself are of 2001.
TIME = re.compile(r"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|"
                  r"20[2-9]\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC( m=[+-][\d.]+)?")
VERSION = re.compile(r'(resourceVersion: "|record \(|precondition \()(\d+)("|\))')
ACCESS = re.compile(r"kube-api-access-\w{5}")
GENERATED = re.compile(r"\bg-[a-z0-9]{5}\b")
AGES = {"Age", "Last Seen", "First Seen", "Duration", "Created At"}


class Marked:
    """A text with words in the places of uids and versions, which it keeps."""

    def __init__(self, text, marks):
        self.text, self.marks = text, marks

    def __str__(self):
        return self.text

    def __eq__(self, other):
        return isinstance(other, Marked) and (self.text, self.marks) == (other.text, other.marks)

    def __hash__(self):
        return hash(self.text)


class Pairs:
    """Which uid and version of one server is which of the other."""

    def __init__(self):
        self.there, self.back = {}, {}

    def agree(self, real, found):
        """Whether two marked texts may be the same. A pair that does not fit replaces the old."""
        if real.text != found.text or len(real.marks) != len(found.marks):
            return False
        fit = True
        for a, b in zip(real.marks, found.marks):
            fit = fit and self.there.get(a, b) == b and self.back.get(b, a) == a
            self.there[a], self.back[b] = b, a
        return fit


class Comparable:
    """The answers of one server to one script, made comparable."""

    def __init__(self, namespace):
        self.namespace = namespace
        self.names = {}
        self.generated = ""

    def of(self, request, answer):
        """{"code", "headers", "body"}"""
        self.generated = self.base_of(request)
        headers = {}
        for name in HEADERS:
            value = answer.header(name)
            if name == "etag":
                value = "some" if value else ""
            if value:
                headers[name] = self.text(value)
        return {"code": answer.code, "headers": headers, "body": self.body(request, answer)}

    def base_of(self, request):
        """The base of the name that the server is to generate; "" if it is not."""
        body = request.get("body")
        metadata = body.get("metadata") if isinstance(body, dict) else None
        base = metadata.get("generateName") if isinstance(metadata, dict) else None
        return base.replace("{ns}", self.namespace) if isinstance(base, str) else ""

    def body(self, request, answer):
        kind = answer.header("content-type").split(";")[0]
        watching = request.get("query", {}).get("watch") and answer.code == 200
        if not answer.body:
            return ""
        if kind == "application/vnd.kubernetes.protobuf":
            return self.protobuf(answer.body, watching)
        if kind == "application/json" or answer.body[:1] == b"{":
            return self.json(answer.body, watching)
        return [self.text(line) for line in answer.body.decode(errors="replace").splitlines()]

    # --- JSON ---

    def json(self, data, watching):
        try:
            if not watching:
                return self.tree(json.loads(data), ())
            events = [json.loads(line) for line in data.splitlines()]
        except ValueError:
            return {"not JSON": self.text(data.decode(errors="replace"))}
        return [self.tree(event, ()) for event in events if not is_plain_bookmark(event)]

    def tree(self, v, at):
        if isinstance(v, dict):
            if str(v.get("kind", "")).endswith("List") or v.get("kind") in ("Table",):
                return self.list(v, at)
            if isinstance(v.get("generateName"), str) and isinstance(v.get("name"), str):
                self.learn_name(v["generateName"], v["name"])
            if not at and v.get("kind") == "Status" and self.generated:
                self.learn_name(self.generated, (v.get("details") or {}).get("name", ""))
            if isinstance(v.get("managedFields"), list):
                # Those of one second are sorted by name, and where a second ends is chance.
                v = dict(v, managedFields=sorted(v["managedFields"], key=manager_of))
            return {ACCESS.sub("kube-api-access-~", k): self.tree(x, (*at, k))
                    for k, x in v.items()}
        if isinstance(v, list):
            return [self.tree(x, (*at, i)) for i, x in enumerate(v)]
        if isinstance(v, str):
            if at[-2:] == ("metadata", "resourceVersion"):
                return self.version(v)
            if at == ("status", "token"):
                return "token"
            return self.text(v)
        return v

    def list(self, v, at):
        """A list's own version is of the store or of a cache, which others write to as well."""
        v = dict(v)
        if isinstance(v.get("metadata"), dict):
            v["metadata"] = {k: ("some" if k in ("resourceVersion", "continue") and x else x)
                             for k, x in v["metadata"].items()}
        if v["kind"] == "Table":
            ages = {i for i, c in enumerate(v.get("columnDefinitions") or []) if c["name"] in AGES}
            v["rows"] = [dict(row, cells=["AGE" if i in ages or self.is_age(c) else c
                                          for i, c in enumerate(row.get("cells") or [])])
                         for row in v.get("rows") or []]
        return {k: self.tree(x, (*at, k)) for k, x in v.items()}

    @staticmethod
    def is_age(cell):
        return isinstance(cell, str) and re.fullmatch(r"\d+[smhd]", cell) is not None

    # --- names for what differs ---

    @staticmethod
    def version(text):
        return Marked("version", [text]) if text.isdigit() and len(text) < 12 else text

    def learn_name(self, base, name):
        if name.startswith(base) and len(name) == len(base) + 5:
            self.names.setdefault(name, base + "~")

    def text(self, text):
        for name, word in self.names.items():
            text = text.replace(name, word)
        text = text.replace(self.namespace, "{ns}")
        text = ACCESS.sub("kube-api-access-~", text)
        text = GENERATED.sub("g-~", text)
        text = TIME.sub("TIME", text)
        text = re.sub(r"(Too large resource version: |current: |RV: )\d+", r"\1N", text)
        marks = []

        def mark(found):
            before, value, after = found.groups() if found.lastindex else ("", found[0], "")
            marks.append(value)
            return before + ("uid" if "-" in value else "version") + after
        text = VERSION.sub(mark, UID.sub(mark, text))
        return Marked(text, marks) if marks else text

    # --- protobuf, without its schema ---

    def protobuf(self, data, watching):
        if not watching:
            if data[:4] != b"k8s\0":
                return {"no magic number": data.hex()}
            return self.message(data[4:])
        frames = []
        while len(data) >= 4:
            size = int.from_bytes(data[:4], "big")
            frames.append(self.message(data[4:4 + size]))
            data = data[4 + size:]
        return frames

    def message(self, data):
        """[[field, value]...]; None if it is none."""
        fields, at = [], 0
        while at < len(data):
            tag, at = varint(data, at)
            if tag is None or tag >> 3 == 0:
                return None
            kind = tag & 7
            if kind == 0:
                value, at = varint(data, at)
                if value is None:
                    return None
                value = "TIME" if 1_600_000_000 < value < 4_000_000_000 else value
            elif kind == 2:
                size, at = varint(data, at)
                if size is None or at + size > len(data):
                    return None
                value, at = self.leaf(data[at:at + size]), at + size
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
                value, at = data[at:at + size].hex(), at + size
            else:
                return None
            fields.append([tag >> 3, value])
        managers = iter(sorted((f for f in fields if is_manager(f)), key=str))
        return [next(managers) if is_manager(f) else f for f in fields]

    def leaf(self, data):
        try:
            text = data.decode()
            if text[:1] == "{":
                return self.tree(json.loads(text), ())
            if re.sub("[\n\t\u00a0]", "", text).isprintable():
                # A number alone in a text: a resource version.
                return self.version(text) if text.isdigit() else self.text(text)
        except ValueError:
            pass
        inner = self.message(data.removeprefix(b"k8s\0"))
        return data.hex() if inner is None else inner


def manager_of(entry):
    return [str(entry.get(k)) for k in ("operation", "manager", "subresource", "apiVersion")]


def is_manager(field):
    """Whether a field of a message is an entry of ObjectMeta.managedFields."""
    number, value = field
    return number == 17 and isinstance(value, list) and [2, "Update"] in value or (
        number == 17 and isinstance(value, list) and [2, "Apply"] in value)


def is_plain_bookmark(event):
    annotations = (event.get("object", {}).get("metadata") or {}).get("annotations") or {}
    return event.get("type") == "BOOKMARK" and "k8s.io/initial-events-end" not in annotations


def varint(data, at):
    value = shift = 0
    while at < len(data) and shift < 70:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at
    return None, at


class Nothing:
    """Takes the place of a field that is not there; null is another thing."""

    def __repr__(self):
        return "nothing"


NOTHING = Nothing()


class Difference:
    """One place in which two answers differ; `real` and `found` are NOTHING where there is none."""

    def __init__(self, place, real, found):
        self.place, self.real, self.found = place, real, found
        self.answer = self.ours = None  # the whole of both servers'

    @property
    def path(self):
        return ".".join(map(str, self.place))

    def __str__(self):
        return f"{self.path}: kube-apiserver {shown(self.real)}, ksim {shown(self.found)}"

    def signature(self):
        """What the like of it have in common."""
        place = ".".join("*" if isinstance(step, int) else str(step) for step in self.place)
        return f"{place}: {plain(self.real)} | {plain(self.found)}"


def shown(value):
    text = "nothing" if value is NOTHING else json.dumps(value, ensure_ascii=False, default=whole)
    return text if len(text) <= 600 else text[:600] + "..."


def whole(marked):
    return f"{marked.text} {' '.join(marked.marks)}"


def plain(value):
    text = shown(value)
    if isinstance(value, str):
        text = re.sub(r'"[^"]*"|\\"[^"]*\\"', '"_"', text[1:-1])
    return re.sub(r"\d+", "#", text)[:160]



def keyed(items):
    """Items of a discovery document by their names, so that one too many is one difference."""
    if not items or not all(isinstance(i, dict) for i in items):
        return None
    for key in ("name", "groupVersion"):
        names = [i.get(key) for i in items]
        if all(isinstance(n, str) for n in names) and len(set(names)) == len(names):
            return dict(zip(names, items))
    return None


def differences(real, found, pairs, place=()):
    """Every difference between two comparable answers."""
    if isinstance(real, dict) and isinstance(found, dict):
        for key in [*real, *(k for k in found if k not in real)]:
            yield from differences(real.get(key, NOTHING), found.get(key, NOTHING), pairs,
                                   (*place, key))
    elif isinstance(real, list) and isinstance(found, list):
        by_name = keyed(real), keyed(found)
        if None not in by_name and place[-1] in ("resources", "groups", "versions"):
            yield from differences(*by_name, pairs, place)
        elif len(real) == len(found):
            for at, (a, b) in enumerate(zip(real, found)):
                yield from differences(a, b, pairs, (*place, at))
        else:
            yield Difference(place, real, found)
    elif isinstance(real, Marked) and isinstance(found, Marked):
        if not pairs.agree(real, found):
            yield Difference(place, real, found)
    elif real is not found and (real != found or type(real) is not type(found)):
        yield Difference(place, real, found)
