#!/usr/bin/env python3
"""Flags co_await statements in a shape that g++ 12 compiles wrongly or not at all.

usage: lint_co_await.py [FILE...]      (default: all C++ files of the project)

A statement with co_await must not also hold a brace initialiser, a lambda, ?:, && or ||, another
macro, or a GNU statement expression, and co_await must not stand in the parentheses of if, while,
for or switch. Name the value in a statement of its own first. Allowed are

    co_await f(...);    T x = co_await f(...);    x = co_await f(...);    co_return co_await f(...);

and the macros whose name holds CO_RETURN. Arguments are names, literals and constructor calls.
Exit code 1 if anything was flagged.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import cxx  # noqa: E402

CONDITION_HEAD = re.compile(r"\b(if|while|switch|for)\s*(?:constexpr\s*)?$")
STATEMENT_HEAD = re.compile(r"\s*(?:else\s+|do\s+)*(?:if|while|switch|for)\b[^(]*\(")
# A `{` that follows one of these opens a block; after anything else it initialises a value.
BLOCK_BEFORE = re.compile(
    r"(?:[);:{}]|\b(?:do|else|try|noexcept|mutable|override|final|const)|->\s*[\w:<>,\s&*]+)$")


def statement(text, offset):
    """[start, end) of the statement around `offset`, with the head of an `if` in front of it."""
    start, depth = offset, 0
    while start > 0:
        before = text[start - 1]
        if before in ")]":
            depth += 1
        elif before in "([":
            depth -= 1
        elif before == ";" and depth >= 0:
            break
        elif before == "}":
            if depth <= 0:
                break
            depth += 1
        elif before == "{":
            if depth > 0:
                depth -= 1
            elif BLOCK_BEFORE.search(text[max(0, start - 121):start - 1].rstrip()):
                break
            else:
                depth -= 1  # the initialiser that holds the await: go on outwards
        start -= 1
    end, depth = offset, 0
    while end < len(text):
        if text[end] in "([{":
            depth += 1
        elif text[end] in ")]}":
            depth -= 1
        elif text[end] == ";" and depth <= 0:
            break
        end += 1
    return start, end


def foreign_macro(before):
    """The macro among whose arguments the text ends, unless it is one made for co_await."""
    for macro in re.finditer(r"\b([A-Z][A-Z0-9_]{2,})\s*\(", before):
        arguments = before[macro.end():]
        if arguments.count("(") >= arguments.count(")") and "CO_RETURN" not in macro.group(1):
            return macro.group(1)
    return None


def condition(text, offset):
    """The keyword in whose parentheses `offset` is, or None."""
    depth = 0
    for i in range(offset - 1, -1, -1):
        if text[i] in ")]":
            depth += 1
        elif text[i] in "([":
            depth -= 1
            head = depth < 0 and text[i] == "(" and CONDITION_HEAD.search(text[max(0, i - 40):i])
            if head:
                return head.group(1)
        elif text[i] in "{}" and depth <= 0:
            return None
    return None


def fault(text, offset):
    """Why the co_await at `offset` is in a bad shape, or None."""
    keyword = condition(text, offset)
    if keyword:
        return f"co_await in the condition of {keyword}"
    start, end = statement(text, offset)
    body = text[start:end]
    head = STATEMENT_HEAD.match(body)
    if head:
        body = body[cxx.matching(body, head.end() - 1) + 1:]
    macro = foreign_macro(text[start:offset])
    if macro:
        return f"co_await inside the macro {macro}"
    if re.search(r"(?<![\w\])])\[[^\]]*\]\s*(?:[({]|mutable|->)", body):
        return "lambda in the same expression"
    if "{" in body:
        return "brace initialiser in the same expression"
    if "?" in body:
        return "?: in the same expression"
    value = re.sub(r"^\s*(?:const\s+)?[\w:<>]+\s*&&\s*\w+\s*=", "", body)  # T&& x = ...
    if re.search(r"&&(?!\s*\[)|\|\|", value):
        return "&& or || in the same expression"
    return None


def lint(text):
    """[(line, column, message)]"""
    blanked = cxx.blank(text)
    found = []
    for await_ in re.finditer(r"(?<!operator )\bco_await\b", blanked):
        why = fault(blanked, await_.start())
        if why:
            found.append((*cxx.position(text, await_.start()),
                          f"{why}; name it in a statement of its own [co-await]"))
    return found


def main(arguments):
    paths = [pathlib.Path(a) for a in arguments] or [
        p for p in cxx.project_files(cxx.ROOT, cxx.CXX_SUFFIXES)]
    flagged = 0
    for path in paths:
        for line, column, message in lint(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}:{column}: {message}")
            flagged += 1
    return 1 if flagged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
