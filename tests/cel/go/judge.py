#!/usr/bin/env python3
"""Judges the answers of cel-go and of ours to the same expressions.

usage: judge.py EXPRESSIONS THEIRS OURS [--show N]
"""
import ast
import json
import re
import sys

LINE = re.compile(r"^(value|error|compile) (\".*\") (\d+)$")


# Wordings that ours does not copy, as docs/fidelity.md says: what cel-go, ours.
KNOWN = ((re.compile(r"invalid qualifier type: .*"),
          re.compile(r"unsupported index type '.*' in list")),
         (re.compile(r"internal error: interface conversion: .*"), re.compile(r".*")))


def is_known(theirs, ours):
    return any(a.fullmatch(theirs) and b.fullmatch(ours) for a, b in KNOWN)


def read(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = LINE.match(line.rstrip("\n"))
            text = m.group(2)
            try:
                text = json.loads(text)
            except ValueError:
                text = ast.literal_eval(text)
            yield m.group(1), text, int(m.group(3))


def main():
    show = int(sys.argv[sys.argv.index("--show") + 1]) if "--show" in sys.argv else 20
    with open(sys.argv[1], encoding="utf-8") as f:
        expressions = [json.loads(line) for line in f]
    count, equal, kinds, costs, texts, syntax, known = 0, 0, 0, 0, 0, 0, 0
    for expression, theirs, ours in zip(expressions, read(sys.argv[2]), read(sys.argv[3])):
        count += 1
        if theirs == ours:
            equal += 1
            continue
        if theirs[0] != ours[0]:
            kinds, what = kinds + 1, "kind"
        elif "Syntax error" in theirs[1]:
            syntax, what = syntax + 1, "syntax"
        elif is_known(theirs[1], ours[1]):
            known, what = known + 1, "known"
        elif theirs[1] != ours[1]:
            texts, what = texts + 1, "text"
        else:
            costs, what = costs + 1, "cost"
        if show > 0:
            show -= 1
            print("%s: %s\n  cel-go: %s %r %d\n  ours:   %s %r %d" %
                  (what, expression, *theirs, *ours))
    print("%d expressions, %d equal; other kind %d, other text %d, other cost %d, "
          "other text of a syntax error %d, known %d"
          % (count, equal, kinds, texts, costs, syntax, known))
    # How ANTLR words and recovers from errors of syntax is matched only where users meet it most.
    sys.exit(0 if kinds + texts + costs == 0 else 1)


if __name__ == "__main__":
    main()
