#!/usr/bin/env python3
"""Turns cel-spec's conformance files into the compact file that conformance_test.cc runs.

usage: convert_conformance.py DIR > conformance.jsonl
  DIR    tests/simple/testdata of the Go module cel.dev/expr@v0.25.1 (Apache License 2.0)

One test a line. Those that Kubernetes' environments cannot run are kept with their reason.
"""
import base64
import json
import pathlib
import re
import sys

TOKEN = re.compile(r"""\s+|\#[^\n]*|(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
                   r"""|(?P<word>\[[\w./]+\]|[-+\w.]+)|(?P<mark>[{}\[\]<>:;,])""")
ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
WHOLE_FILES = {
    "proto2": "protocol buffers", "proto2_ext": "protocol buffers", "proto3": "protocol buffers",
    "enums": "protocol buffers", "wrappers": "protocol buffers", "dynamic": "protocol buffers",
    "block_ext": "cel.@block", "math_ext": "the math library",
    "encoders_ext": "the encoders library"}


def unquote(text):
    out, i, body = bytearray(), 0, text[1:-1].encode()
    while i < len(body):
        c = chr(body[i])
        if c != "\\":
            out.append(body[i])
            i += 1
            continue
        e = chr(body[i + 1])
        if e in "01234567":
            digits = re.match(rb"[0-7]{1,3}", body[i + 1:]).group()
            out.append(int(digits, 8) & 255)
            i += 1 + len(digits)
        elif e in "xX":
            digits = re.match(rb"[0-9a-fA-F]{1,2}", body[i + 2:]).group()
            out.append(int(digits, 16))
            i += 2 + len(digits)
        elif e in "uU":
            n = 4 if e == "u" else 8
            out += chr(int(body[i + 2:i + 2 + n], 16)).encode()
            i += 2 + n
        else:
            out.append(ESCAPES.get(e, ord(e)))
            i += 2
    return bytes(out)


class Text:
    """Reads the text form of a message as {field: [values]}."""

    def __init__(self, text):
        self.tokens = []
        at = 0
        while at < len(text):
            m = TOKEN.match(text, at)
            assert m, text[at:at + 40]
            at = m.end()
            if m.lastgroup:
                self.tokens.append((m.lastgroup, m.group()))
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def message(self, close=""):
        fields = {}
        while self.peek()[1] != close or self.peek()[0] == "string":
            if self.peek()[0] == "end":
                break
            name = self.take()[1]
            if self.peek()[1] == ":":
                self.take()
            for value in self.values():
                fields.setdefault(name, []).append(value)
            while self.peek()[1] in (",", ";"):
                self.take()
        return fields

    def values(self):
        if self.peek() == ("mark", "["):
            self.take()
            values = []
            while self.peek()[1] != "]":
                values += self.values()
                if self.peek()[1] == ",":
                    self.take()
            self.take()
            return values
        return [self.value()]

    def value(self):
        kind, text = self.take()
        if text in ("{", "<") and kind == "mark":
            inner = self.message("}" if text == "{" else ">")
            self.take()
            return inner
        if kind == "string":
            out = unquote(text)
            while self.peek()[0] == "string":
                out += unquote(self.take()[1])
            return out
        return text


class Skip(Exception):
    pass


def number(text):
    return str(int(text, 0))


def value_of(v):
    [(field, [x])] = v.items() if v else [("null_value", ["NULL_VALUE"])]
    if field == "int64_value":
        return {"int": number(x)}
    if field == "uint64_value":
        return {"uint": number(x)}
    if field == "double_value":
        return {"double": x}
    if field == "bool_value":
        return {"bool": x == "true"}
    if field == "null_value":
        return {"null": None}
    if field == "string_value":
        return {"string": x.decode("utf-8", "surrogateescape")}
    if field == "bytes_value":
        return {"bytes": base64.b64encode(x).decode()}
    if field == "type_value":
        return {"type": x.decode()}
    if field == "list_value":
        return {"list": [value_of(i) for i in x.get("values", [])]}
    if field == "map_value":
        return {"map": [[value_of(e["key"][0]), value_of(e["value"][0])]
                        for e in x.get("entries", [])]}
    if field == "object_value":
        [(url, [inner])] = x.items()
        seconds = int(inner.get("seconds", ["0"])[0]) if isinstance(inner, dict) else 0
        nanos = int(inner.get("nanos", ["0"])[0]) if isinstance(inner, dict) else 0
        if url.endswith("google.protobuf.Duration]"):
            return {"duration": str(seconds * 10**9 + nanos)}
        if url.endswith("google.protobuf.Timestamp]"):
            return {"timestamp": [str(seconds), nanos]}
    raise Skip("protocol buffers")


PRIMITIVES = {"INT64": "int", "UINT64": "uint", "DOUBLE": "double", "BOOL": "bool",
              "STRING": "string", "BYTES": "bytes"}


def type_of(t):
    [(field, [x])] = t.items()
    if field == "primitive":
        return PRIMITIVES[x]
    if field == "dyn":
        return "dyn"
    if field == "null":
        return "null"
    if field == "well_known" and x in ("TIMESTAMP", "DURATION"):
        return x.lower()
    if field == "list_type":
        return "list(%s)" % type_of(x["elem_type"][0])
    if field == "map_type":
        return "map(%s, %s)" % (type_of(x["key_type"][0]), type_of(x["value_type"][0]))
    if field == "abstract_type" and x["name"][0] == b"optional_type":
        return "optional(%s)" % type_of(x["parameter_types"][0])
    if field == "type":
        return "type(%s)" % type_of(x) if x else "type"
    if field == "type_param":
        return x.decode()
    raise Skip("protocol buffers")


def convert(test, stem):
    expr = test["expr"][0].decode()
    if stem in WHOLE_FILES:
        raise Skip(WHOLE_FILES[stem])
    if test.get("disable_check", ["false"])[0] == "true":
        raise Skip("unchecked expressions")
    if test.get("disable_macros", ["false"])[0] == "true":
        raise Skip("macros switched off")
    if "container" in test:
        raise Skip("containers" if stem == "namespace" else "protocol buffers")
    if re.search(r"google\.protobuf\.\w+ *\{|TestAllTypes|NestedTestAllTypes", expr):
        raise Skip("protocol buffers")
    if re.search(r"\bproto\.|google\.protobuf\.(Any|Value|Struct|\w+Value)", expr):
        raise Skip("protocol buffers")
    if "unknown" in test or "any_unknowns" in test:
        raise Skip("unknown values")
    out = {"expr": expr}
    env = {}
    for decl in test.get("type_env", []):
        if "function" in decl:
            raise Skip("functions of the test's own")
        env[decl["name"][0].decode()] = type_of(decl["ident"][0]["type"][0])
    if env:
        out["env"] = env
    bindings = {}
    for b in test.get("bindings", []):
        inner = b["value"][0]
        if "value" not in inner:
            raise Skip("unknown values")
        bindings[b["key"][0].decode()] = value_of(inner["value"][0])
    if bindings:
        out["bindings"] = bindings
    if "eval_error" in test or "any_eval_errors" in test:
        errors = test.get("eval_error", [{}])[0].get("errors", [{}])
        out["error"] = errors[0].get("message", [b""])[0].decode()
    elif "typed_result" in test:
        result = test["typed_result"][0]
        if "deduced_type" in result:
            out["type"] = type_of(result["deduced_type"][0])
        if "result" in result:
            out["value"] = value_of(result["result"][0])
    elif "value" in test:
        out["value"] = value_of(test["value"][0])
    else:
        out["value"] = {"bool": True}
    return out


def main():
    print(json.dumps({"from": "cel.dev/expr@v0.25.1 tests/simple/testdata", "license":
                      "Apache License 2.0, Copyright Google LLC and the CEL authors",
                      "made by": "tests/cel/convert_conformance.py"}))
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.textproto")):
        text = Text(path.read_text(encoding="utf-8"))
        for section in text.message().get("section", []):
            for test in section.get("test", []):
                name = "/".join([path.stem, section["name"][0].decode(), test["name"][0].decode()])
                try:
                    out = convert(test, path.stem)
                except Skip as reason:
                    out = {"skip": str(reason)}
                print(json.dumps({"name": name, **out}))


if __name__ == "__main__":
    main()
