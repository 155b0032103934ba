#!/usr/bin/env python3
"""Flags what would make a run depend on anything but its scenario and seed, and untidy leftovers.

usage: lint_banned.py [--rules] [FILE...]      (default: all text files of the project)

A line that must break a rule says so, with its reason, in a comment on it or on the line above:
    // NOLINT(ksim-static): one intern table a process; its order reaches no output
and a file of which that is the purpose says it once, with NOLINTFILE in place of NOLINT.
Exit code 1 if anything was flagged.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import cxx  # noqa: E402

MAX_COLUMNS = 100
MAX_LINES = 500

# Folders that may meet the real world: each rule names who is let off.
OS = ("src/ksim/base/",)
EDGE = OS + ("src/ksim/cli/",)
TESTS = ("tests/", "bench/")
OUTSIDE = EDGE + TESTS

# (rule, pattern over code without comments and literals, what to do instead, exempt folders)
CODE_RULES = [
    ("clock", r"\b(?:system_clock|steady_clock|high_resolution_clock|utc_clock|file_clock)\b"
              r"|\b(?:clock_gettime|gettimeofday|timespec_get)\s*\(|\bstd::time\s*\("
              r"|(?<![\w.:>])time\s*\(\s*(?:NULL|nullptr|0|&\w+)\s*\)|\bstd::clock\s*\("
              r"|\babsl::(?:Now|GetCurrentTimeNanos|SleepFor)\b",
     "use the simulation's clock", OUTSIDE),
    ("random", r"\brandom_device\b|(?<![\w.>])(?:std::)?s?rand\s*\(|(?<![\w.>:])[dlm]rand48\s*\("
               r"|\bstd::\w+_distribution\b|\bstd::(?:shuffle|sample|random_shuffle)\b"
               r"|\bdefault_random_engine\b|\babsl::BitGen\b|\bgetrandom\s*\(|\bgetentropy\s*\(",
     "a value is a Draw, a decision a Choose", OS),
    ("engine", r"\bstd::(?:mt19937(?:_64)?|minstd_rand0?|ranlux\w+|knuth_b)\b",
     "a value is a Draw, a decision a Choose", TESTS),
    ("environment", r"\b(?:secure_)?getenv\s*\(|\bsetenv\s*\(|\bgethostname\s*\(|\bgetpid\s*\("
                    r"|\bgetcwd\s*\(|\bcurrent_path\s*\(",
     "only base and the command line read the environment", OUTSIDE),
    ("locale", r"\b(?:localtime|localtime_r|mktime|gmtime|ctime|asctime|strftime|tzset)\s*\("
               r"|\bsetlocale\s*\(|\bstd::locale\b|\bstd::put_time\b",
     "nothing depends on locale or time zone", OUTSIDE),
    ("files", r"\bstd::(?:basic_)?[io]?fstream\b|(?<![\w.>:])(?:std::)?fopen\s*\("
              r"|(?<![\w.>])::open(?:at)?\s*\("
              r"|\bdirectory_iterator\b|\bopendir\s*\(",
     "files are read and written through base", OUTSIDE),
    ("process", r"(?<![\w.>:])(?:std::)?(?:system|popen|fork|execvp?|_exit|quick_exit)\s*\("
                r"|\bstd::exit\s*\(",
     "only base and the command line deal with processes", OUTSIDE),
    ("threads", r"\bstd::(?:j?thread|mutex|shared_mutex|atomic\w*|async|condition_variable)\b"
                r"|\b(?:absl::Mutex|pthread_\w+)\b",
     "one simulation is one thread", OUTSIDE + ("src/ksim/fuzz/",)),
    ("hash", r"\bstd::hash\b|\babsl::Hash(?:Of)?\b(?!\w)|\bhash_value\s*\(",
     "std::hash differs by library, absl::Hash by process; use base/hash.h", OS),
    ("pointer-order", r"\b(?:std::(?:set|map)|absl::btree_(?:set|map))<\s*(?:const\s+)?[\w:]+\s*\*",
     "addresses differ by run; key by an id", TESTS),
    ("static", None, "global state survives the simulation; make it a member, or constexpr", OS),
    ("hash-order", None, "the order of a hash map differs by process; use a sorted container", ()),
    ("formatter", r"\b(?:struct|class)\s+(?:fmt::)?formatter<",
     "a source that left it out would call fmt's functions with other arguments; give the type"
     " format_as", ()),
    ("goto", r"\bgoto\b|\bsetjmp\b|\blongjmp\b", "write it as a loop or a function", ()),
]

# (rule, pattern over #include lines, what to do instead, exempt folders)
INCLUDE_RULES = [
    ("threads", r"<(?:thread|mutex|shared_mutex|atomic|future|condition_variable|barrier|latch"
                r"|semaphore|stop_token)>",
     "one simulation is one thread", OUTSIDE + ("src/ksim/fuzz/",)),
    ("engine", r"<random>|absl/random/", "a value is a Draw, a decision a Choose", TESTS),
    ("locale", r"<(?:locale|clocale)>", "nothing depends on locale", EDGE),
    ("clock", r"absl/time/clock\.h", "use the simulation's clock", OUTSIDE),
    ("include-path", r'"\.{1,2}/', "include from the root: \"ksim/<layer>/x.h\"", ()),
]

LEFTOVER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}~/-])/(?:home|root|Users|mnt|media|workspace|work)/[\w.-]+")
RELATIVE_DOCUMENT = re.compile(r"(?<![\w./$}\"'-])(?:\.\./)+[\w./-]+")
HALF_SENTENCE = re.compile(r"^[ \t]*(?://|#)+ (?:Of|Who|What) ", re.M)
SUPPRESSED = re.compile(r"NOLINT\(ksim-([a-z-]+)\): *\S")
FILE_SUPPRESSED = re.compile(r"NOLINTFILE\(ksim-([a-z-]+)\): *\S")
WIDTH_SUFFIXES = {".h", ".cc", ".py", ".sh", ".cmake", ".txt", ".in", ""}
TEXT_SUFFIXES = WIDTH_SUFFIXES | {".md", ".yaml", ".yml", ".json"}
UNBOUNDED = ("LICENSE",)
MUTABLE_STATIC = re.compile(
    r"(?:^|[;{}])\s*((?:(?:inline|static|thread_local|constinit)\s+)*(?:static|thread_local)\s+"
    r"(?:(?:inline|thread_local|constinit)\s+)*)([^;{}()=]*)([;{=])")
HASH_CONTAINER = re.compile(
    r"\b(?:absl::(?:flat|node)_hash_(?:map|set)|std::unordered_(?:multi)?(?:map|set))\s*<")


def lint_code(name, text):
    """[(offset, rule, message)] for C++."""
    code = cxx.blank(text)
    found = []
    for rule, pattern, advice, exempt in CODE_RULES:
        if name.startswith(exempt or ("\0",)):
            continue
        if rule == "static":
            found += [(m.start(2), rule, advice) for m in MUTABLE_STATIC.finditer(code)
                      if not re.search(r"\bconst(?:expr)?\b|\boperator\b", m.group(1) + m.group(2))]
        elif rule == "hash-order":
            found += [(offset, rule, advice) for offset in hash_iterations(code)]
        else:
            found += [(m.start(), rule, advice) for m in re.finditer(pattern, code)]
    includes = cxx.blank(text, strings=False)
    for line in re.finditer(r"^\s*#\s*include\s*(.*)$", includes, re.M):
        for rule, pattern, advice, exempt in INCLUDE_RULES:
            if re.search(pattern, line.group(1)) and not name.startswith(exempt or ("\0",)):
                found.append((line.start(), rule, advice))
    return found


def hash_iterations(code):
    """Offsets where a variable declared in this file as a hash container is walked through."""
    names = set()
    for container in HASH_CONTAINER.finditer(code):
        close, depth = container.end(), 1
        while close < len(code) and depth:
            depth += {"<": 1, ">": -1}.get(code[close], 0)
            close += 1
        declared = re.match(r"\s*[&*]?\s*(\w+)\s*(?:[;={]|\bABSL_GUARDED_BY)", code[close:])
        if declared:
            names.add(declared.group(1))
    for name in sorted(names):
        for walk in re.finditer(
                rf"\bfor\s*\([^;()]*:\s*(?:\*?this->|\w+(?:\.|->))?{name}\s*\)"
                rf"|\b{name}\s*(?:\.|->)\s*c?r?begin\s*\(", code):
            yield walk.start()


def lint_text(path, name, text):
    """[(offset, rule, message)] for any text file."""
    found = [(m.start(), "leftover", "finish it, or open an issue")
             for m in LEFTOVER.finditer(text)]
    found += [(m.start(), "machine-path", "a path of one machine")
              for m in MACHINE_PATH.finditer(text)]
    for m in RELATIVE_DOCUMENT.finditer(text):
        target = pathlib.Path(os.path.normpath(path.parent / m.group()))
        inside = target == cxx.ROOT or cxx.ROOT in target.parents
        if not inside or (m.group().endswith(".md") and not target.exists()):
            found.append((m.start(), "stray-path", "leads out of the project, or nowhere"))
    if path.suffix in WIDTH_SUFFIXES:
        found += [(m.end() - 1, "comments", "begin with the subject (docs/STYLE.md)")
                  for m in HALF_SENTENCE.finditer(text)]
    offset = 0
    for line in text.split("\n"):
        if path.suffix in WIDTH_SUFFIXES and len(line) > MAX_COLUMNS and name not in UNBOUNDED:
            found.append((offset + MAX_COLUMNS, "columns", f"more than {MAX_COLUMNS} columns"))
        if line != line.rstrip() and path.suffix != ".md" and not name.startswith("tests/"):
            found.append((offset + len(line.rstrip()), "trailing-space", "space at the end"))
        offset += len(line) + 1
    if path.suffix in cxx.CXX_SUFFIXES and text.count("\n") > MAX_LINES:
        found.append((len(text), "length",
                      f"more than {MAX_LINES} lines: which second concept moved in?"))
    data = name.startswith("tests/") and path.suffix in (".json", ".yaml", ".yml")
    if text and not text.endswith("\n") and not data:
        found.append((len(text), "final-newline", "no newline at the end"))
    return found


def suppressed(lines, line, rule):
    """Whether the line (from 1) or the comment above it lets `rule` off with a reason."""
    if rule in SUPPRESSED.findall(lines[line - 1]):
        return True
    above = line - 2
    while above >= 0 and lines[above].lstrip().startswith("//"):
        if rule in SUPPRESSED.findall(lines[above]):
            return True
        above -= 1
    return False


def lint(path, name, text):
    """[(line, column, message)]; `name` is the path from the project's root, with slashes."""
    found = lint_text(path, name, text)
    if path.suffix in cxx.CXX_SUFFIXES:
        found += lint_code(name, text)
    lines, let_off = text.split("\n"), set(FILE_SUPPRESSED.findall(text))
    placed = [(*cxx.position(text, offset), rule, advice) for offset, rule, advice in sorted(found)]
    return [(line, column, f"{advice} [{rule}]") for line, column, rule, advice in placed
            if rule not in let_off and not suppressed(lines, line, rule)]


def main(arguments):
    if arguments == ["--rules"]:
        for rule, _, advice, exempt in CODE_RULES + INCLUDE_RULES:
            print(f"{rule:16} {advice}" + (f" (not in {' '.join(exempt)})" if exempt else ""))
        return 0
    paths = [pathlib.Path(a).resolve() for a in arguments] or cxx.project_files(cxx.ROOT)
    flagged = 0
    for path in paths:
        if path.suffix not in TEXT_SUFFIXES:
            continue
        name = path.relative_to(cxx.ROOT).as_posix() if cxx.ROOT in path.parents else path.name
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for line, column, message in lint(path, name, text):
            print(f"{name}:{line}:{column}: {message}")
            flagged += 1
    return 1 if flagged else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
