"""Reading C++ well enough to lint it: files, text without comments, statements."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE_DIRS = ("include", "src", "tests", "bench", "docs")
CXX_SUFFIXES = (".h", ".cc")
SKIPPED = ("build", ".git", ".ksim")


def project_files(root, suffixes=None):
    """The project's files, sorted: those git knows or would add, else all but build folders."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False) if (root / ".git").exists() else None
    if listed and listed.returncode == 0:
        paths = [root / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [p for p in root.rglob("*") if not _skipped(p.relative_to(root))]
    found = sorted(p for p in set(paths) if p.is_file() and not p.is_symlink())
    return [p for p in found if suffixes is None or p.suffix in suffixes]


def _skipped(path):
    return path.parts[0] in SKIPPED or path.parts[0].startswith("build-")


def blank(text, strings=True):
    """`text` with comments blanked and, if `strings`, what is in literals replaced by x.

    Line and column of everything else stay the same.
    """
    out, i, n = [], 0, len(text)
    while i < n:
        if text.startswith("//", i):
            end = text.find("\n", i)
            end = n if end < 0 else end
            out.append(" " * (end - i))
        elif text.startswith("/*", i):
            end = text.find("*/", i + 2)
            end = n if end < 0 else end + 2
            out.append(re.sub(r"[^\n]", " ", text[i:end]))
        elif (raw := re.compile(r'(?:u8|[uUL])?R"([^\s()\\]{0,16})\(').match(text, i)) and not (
                i and (text[i - 1].isalnum() or text[i - 1] == "_")):
            close = text.find(f'){raw.group(1)}"', raw.end())
            end = n if close < 0 else close + len(raw.group(1)) + 2
            body = text[i:end]
            out.append('"' + re.sub(r"[^\n]", "x", body)[1:-1] + '"' if strings else body)
        elif text[i] == '"' or (text[i] == "'" and not _digit_separator(text, i)):
            end = i + 1
            while end < n and text[end] != text[i] and text[end] != "\n":
                end += 2 if text[end] == "\\" else 1
            end = min(end + 1, n)
            body = text[i:end]
            out.append(body[0] + "x" * (len(body) - 2) + body[-1]
                       if strings and len(body) > 1 else body)
        else:
            out.append(text[i])
            end = i + 1
        i = end
    return "".join(out)


def _digit_separator(text, i):
    """Whether the ' at i separates digits, as in 1'000 or 0xff'ff."""
    number = re.search(r"\b\d[\da-zA-Z']*$", text[max(0, i - 40):i])
    return bool(number) and i + 1 < len(text) and text[i + 1].isalnum()


def position(text, offset):
    """(line, column), both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def matching(text, offset):
    """Offset of the bracket that closes the one at `offset`; len(text) if none does."""
    depth = 0
    for i in range(offset, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(text)
