#!/usr/bin/env python3
"""Draws expressions: JSON texts, one a line.

usage: draw.py COUNT SEED [--minor N]

Most have types that fit; some are dyn, some do not fit, and some are no CEL at all.
"""
import json
import random
import sys


class Drawer:
    def __init__(self, seed, minor):
        self.r = random.Random(seed)
        self.minor = minor
        self.names = []  # loop variables in scope: (name, type)

    def pick(self, *items):
        return self.r.choice(items)

    def expr(self, kind, depth):
        if depth <= 0:
            return self.leaf(kind)
        if self.r.random() < 0.04:
            kind = self.pick("int", "uint", "double", "string", "bool", "list", "map", "bytes")
        if self.r.random() < 0.08:
            return "(%s ? %s : %s)" % (self.expr("bool", depth - 1), self.expr(kind, depth - 1),
                                       self.expr(kind, depth - 1))
        if self.r.random() < 0.05:
            return "dyn(%s)" % self.expr(kind, depth - 1)
        if self.minor >= 28 and self.r.random() < 0.04:
            return self.pick("optional.of(%s).value()", "optional.none().orValue(%s)",
                             "optional.of(%s).orValue(1)") % self.expr(kind, depth - 1)
        return getattr(self, "draw_" + kind)(depth - 1)

    def leaf(self, kind):
        known = [n for n, t in self.names if t == kind]
        if known and self.r.random() < 0.5:
            return self.r.choice(known)
        return {
            "int": lambda: self.pick("0", "1", "2", "-1", "i", "7", "o.i", "9223372036854775807",
                                     "-9223372036854775808", "0x1F", "l[0]", "o.m.a", "42"),
            "uint": lambda: self.pick("0u", "1u", "3u", "18446744073709551615u"),
            "double": lambda: self.pick("0.0", "1.5", "-2.25", "1e10", "1e-7", "o.d", "123456789.0",
                                        "3.0", "1e300"),
            "string": lambda: self.pick("''", "'a'", "'b'", "s", "'a.b'", "'H\u00e4'", "ls[1]",
                                        "o.s", "'12'", "'x-1'", "r'\\d'", "'a,b,,c'", "' t '"),
            "bool": lambda: self.pick("true", "false", "o.b"),
            "bytes": lambda: self.pick("b'abc'", "b''", "b'\\xff'"),
            "list": lambda: self.pick("l", "[]", "[1, 2, 3]", "o.l", "o.e", "[i, 1]"),
            "strings": lambda: self.pick("ls", "['x', 'y']", "o.ls", "[s]"),
            "map": lambda: self.pick("m", "{}", "{'a': 1}", "o.m", "{'a': i, 'b': 2}", "o.lm[1]"),
            "timestamp": lambda: self.pick("timestamp('2024-02-29T12:34:56.789Z')",
                                           "timestamp('1969-12-31T23:59:59+01:30')",
                                           "timestamp(0)"),
            "duration": lambda: self.pick("duration('1h30m')", "duration('-1.5s')",
                                          "duration('0s')", "duration('100ms')"),
        }[kind]()

    def draw_int(self, d):
        e = self.expr
        p = self.r.random()
        if p < 0.4:
            return "(%s %s %s)" % (e("int", d), self.pick(*"+-*/%"), e("int", d))
        if p < 0.5:
            return "size(%s)" % e(self.pick("string", "list", "map", "bytes", "strings"), d)
        if p < 0.6:
            return "%s.size()" % e(self.pick("string", "list", "map"), d)
        if p < 0.7:
            return "int(%s)" % e(self.pick("int", "uint", "double", "string", "timestamp",
                                           "duration"), d)
        if p < 0.76:
            return "%s[%s]" % (e("list", d), e("int", d))
        if p < 0.82:
            return "%s.%s()" % (e("list", d), self.pick("sum", "min", "max"))
        if p < 0.87:
            return "%s.%s(%s)" % (e("string", d), self.pick("indexOf", "lastIndexOf"),
                                  e("string", d))
        if p < 0.92:
            return "%s.%s(%s)" % (e("timestamp", d), self.pick(
                "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek",
                "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds"),
                self.pick("", "'UTC'", "'+01:30'", "'-02:00'"))
        if p < 0.95:
            return "%s.%s()" % (e("duration", d), self.pick("getHours", "getMinutes", "getSeconds",
                                                            "getMilliseconds"))
        if p < 0.97:
            return "-(%s)" % e("int", d)
        return "quantity(%s).%s()" % (self.pick("'1k'", "'1.5Gi'", "'100m'", "'x'"),
                                      self.pick("asInteger", "asApproximateFloat", "isInteger"))

    def draw_uint(self, d):
        e = self.expr
        if self.r.random() < 0.7:
            return "(%s %s %s)" % (e("uint", d), self.pick(*"+-*/%"), e("uint", d))
        return "uint(%s)" % e(self.pick("int", "double", "string", "uint"), d)

    def draw_double(self, d):
        e = self.expr
        if self.r.random() < 0.7:
            return "(%s %s %s)" % (e("double", d), self.pick(*"+-*/"), e("double", d))
        return "double(%s)" % e(self.pick("int", "uint", "string", "double"), d)

    def draw_string(self, d):
        e = self.expr
        p = self.r.random()
        if p < 0.25:
            return "(%s + %s)" % (e("string", d), e("string", d))
        if p < 0.4:
            return "string(%s)" % e(self.pick("int", "uint", "double", "bool", "string", "bytes",
                                              "timestamp", "duration"), d)
        if p < 0.55:
            return "%s.%s()" % (e("string", d), self.pick("lowerAscii", "upperAscii", "trim"))
        if p < 0.65:
            return "%s.substring(%s)" % (e("string", d), e("int", d))
        if p < 0.7:
            return "%s.charAt(%s)" % (e("string", d), e("int", d))
        if p < 0.8:
            return "%s.replace(%s, %s%s)" % (e("string", d), e("string", d), e("string", d),
                                             self.pick("", ", 1", ", -1", ", 0"))
        if p < 0.87:
            return "%s.join(%s)" % (e("strings", d), self.pick("", "'-'", e("string", d)))
        if p < 0.93 and self.minor >= 29:
            kind = self.pick("string", "int", "double", "bool", "list", "map")
            clause = {"int": self.pick("d", "x", "o", "b", "s"), "double": "s"}.get(kind, "s")
            return "'<%%%s>'.format([%s])" % (clause, e(kind, d))
        return "%s.find(%s)" % (e("string", d), self.pick("'[a-z]+'", "'\\\\d'", "'('", "s"))

    def draw_bool(self, d):
        e = self.expr
        p = self.r.random()
        if p < 0.2:
            kind = self.pick("int", "uint", "double", "string", "bytes", "timestamp", "duration",
                             "bool")
            return "(%s %s %s)" % (e(kind, d), self.pick("<", "<=", ">", ">=", "==", "!="),
                                   e(kind, d))
        if p < 0.3:
            kind = self.pick("list", "map", "strings")
            return "(%s %s %s)" % (e(kind, d), self.pick("==", "!="), e(kind, d))
        if p < 0.45:
            return "(%s %s %s)" % (e("bool", d), self.pick("&&", "||"), e("bool", d))
        if p < 0.5:
            return "!%s" % e("bool", d)
        if p < 0.6:
            return "(%s in %s)" % (e("int", d), e("list", d)) if self.r.random() < 0.6 else \
                "(%s in %s)" % (e("string", d), e("map", d))
        if p < 0.7:
            return "%s.%s(%s)" % (e("string", d), self.pick("contains", "startsWith", "endsWith"),
                                  e("string", d))
        if p < 0.75:
            return "%s.matches(%s)" % (e("string", d), self.pick("'^a'", "'[0-9]'", "s", "'.*'"))
        if p < 0.8:
            return self.pick("has(o.i)", "has(o.zz)", "has(m.a)", "has(m.b.c)", "has(o.m.q)",
                             "has(o.i.x)")
        if p < 0.93:
            return self.loop(self.pick("all", "exists", "exists_one"), "bool", d)
        if p < 0.96:
            return "%s.isSorted()" % e("list", d)
        return "isURL(%s)" % e("string", d)

    def loop(self, macro, kind, d):
        name = self.pick("x", "y", "i")
        over = self.pick("list", "strings", "map")
        # Go goes through maps at random: one key only.
        rng = self.pick("{'a': 1}", "o.lm[0]", "{'k': i}") if over == "map" else self.expr(over, d)
        self.names.append((name, "int" if over == "list" else "string"))
        body = self.expr(kind, d)
        self.names.pop()
        return "%s.%s(%s, %s)" % (rng, macro, name, body)

    def draw_list(self, d):
        e = self.expr
        p = self.r.random()
        if p < 0.25:
            return "[%s]" % ", ".join(e("int", d) for _ in range(self.r.randrange(4)))
        if p < 0.4:
            return "(%s + %s)" % (e("list", d), e("list", d))
        if p < 0.6:
            return self.loop("map", "int", d)
        if p < 0.8:
            return self.loop("filter", "bool", d)
        if self.minor >= 34 and p < 0.9:
            return "%s.%s" % (e("list", d), self.pick("sort()", "reverse()", "distinct()",
                                                      "slice(0, 2)", "sortBy(z, -z)"))
        return "o.l"

    def draw_strings(self, d):
        e = self.expr
        p = self.r.random()
        if p < 0.4:
            return "%s.split(%s%s)" % (e("string", d), self.pick("','", "''", "'.'", "s"),
                                       self.pick("", ", 2", ", 0", ", -1"))
        if p < 0.7:
            return "[%s]" % ", ".join(e("string", d) for _ in range(self.r.randrange(3)))
        return "%s.findAll('[a-z]'%s)" % (e("string", d), self.pick("", ", 1", ", -1"))

    def draw_map(self, d):
        e = self.expr
        p = self.r.random()
        if p < 0.6:
            return "{%s}" % ", ".join(
                "%s: %s" % (self.pick("'a'", "'b'", "'c'"), e("int", d))
                for _ in range(self.r.randrange(3)))
        if self.minor >= 32 and p < 0.8:
            self.names.append(("v", "int"))
            body = e("int", d)
            self.names.pop()
            return "{'a': i}.transformMap(k, v, %s)" % body
        return self.pick("m.b", "o.lm[0]", "o.m")

    def draw_bytes(self, d):
        if self.r.random() < 0.5:
            return "(%s + %s)" % (self.expr("bytes", d), self.expr("bytes", d))
        return "bytes(%s)" % self.expr("string", d)

    def draw_timestamp(self, d):
        if self.r.random() < 0.7:
            return "(%s %s %s)" % (self.expr("timestamp", d), self.pick("+", "-"),
                                   self.expr("duration", d))
        return "timestamp(%s)" % self.expr("int", d)

    def draw_duration(self, d):
        p = self.r.random()
        if p < 0.5:
            return "(%s %s %s)" % (self.expr("duration", d), self.pick("+", "-"),
                                   self.expr("duration", d))
        if p < 0.8:
            return "(%s - %s)" % (self.expr("timestamp", d), self.expr("timestamp", d))
        return "duration(%s)" % self.pick("'1m'", "'5x'", "'-2h3m'", "'1.5h'")

    def draw(self):
        self.names = []
        kind = self.pick("int", "uint", "double", "string", "bool", "bool", "list", "map",
                         "strings", "timestamp", "duration")
        text = self.expr(kind, self.r.randrange(1, 5))
        if self.r.random() < 0.03:  # no CEL
            at = self.r.randrange(len(text) + 1)
            text = text[:at] + self.pick("+", ")", "(", "]", ",", "'", " x", "$", "?", ".") + \
                text[at:]
        return text


def main():
    minor = int(sys.argv[sys.argv.index("--minor") + 1]) if "--minor" in sys.argv else 36
    drawer = Drawer(int(sys.argv[2]), minor)
    for _ in range(int(sys.argv[1])):
        print(json.dumps(drawer.draw()))


if __name__ == "__main__":
    main()
