"""The shape of each layer: its sub-folders, its sources and where they compare versions."""
import re

MAX_SOURCES = 40  # in a folder
ROOT = "root"     # the files that lie directly in the layer's folder
VERSION = re.compile(r"Compat::k|\bcompat\w*(?:\(\))? *(?:>=|<=|==|!=|<|>) *[\w:]")
VERSION_FILES = ("profile", "compat")


class NoExcuses:
    LOOPS, FULL, CLI11, HEADERLESS, COMPARISONS = {}, {}, {}, {}, {}


class Folders:
    """The sub-folders of one layer and what each includes of the others."""

    def __init__(self, root, layer):
        self.root, self.layer = root, layer
        self.home = root / "src/ksim" / layer
        self.used = {}  # sub-folder -> {included sub-folder: first place}

    def _folder(self, path):
        parts = path.relative_to(self.home).parts
        return parts[0] if len(parts) > 1 else ROOT

    def add(self, path, place, name):
        """`path` includes `name` at `place`."""
        used = self.used.setdefault(self._folder(path), {})
        target = self.root / "src" / name
        if not name.startswith(f"ksim/{self.layer}/") or not target.exists():
            return
        other = self._folder(target)
        if other != self._folder(path):
            used.setdefault(other, place)

    def loops(self):
        """Each loop once, as the list of its sub-folders from the first in the alphabet on."""
        found = []
        for start in sorted(self.used):
            loop = self._loop_from(start)
            if loop and not any(set(loop) <= set(other) for other in found):
                found.append(loop)
        return found

    def _loop_from(self, start):
        paths, seen = [[start]], set()
        for path in paths:
            for other in sorted(self.used.get(path[-1], {})):
                if other == start:
                    return path
                if other not in seen:
                    seen.add(other)
                    paths.append(path + [other])
        return None

    def problems(self, excuses):
        for loop in self.loops():
            if set(loop) <= excuses.LOOPS.get(self.layer, set()):
                continue
            steps = [f"{a} includes {b} ({self.used[a][b]})"
                     for a, b in zip(loop, loop[1:] + loop[:1])]
            yield f"src/ksim/{self.layer}: a loop of sub-folders: {', '.join(steps)}"

    def graph(self):
        if set(self.used) <= {ROOT}:
            return []
        return [f"  {folder:22} {' '.join(sorted(self.used[folder]))}" for folder in
                sorted(self.used)]


def problems(root, layers, excuses):
    found = []
    for layer in layers:
        home = root / "src/ksim" / layer
        found += _full_folders(root, home, excuses.FULL)
        found += _more(layer, "CLI11 is included by a header", _cli11(root, layer), excuses.CLI11)
        found += _more(layer, "no header of its name, and its first line does not say why",
                       _headerless(root, layer), excuses.HEADERLESS)
        found += _more(layer, "a version is compared outside profile.* and compat.*",
                       _comparisons(root, layer), excuses.COMPARISONS)
    return found


def _more(layer, what, places, allowed):
    """One line a place if there are more of them than known.py allows the layer."""
    if len(places) <= allowed.get(layer, 0):
        return []
    excuse = f" ({len(places)} in {layer}, known are {allowed[layer]})" if layer in allowed else ""
    return [f"{place}: {what}{excuse}" for place in places]


def _full_folders(root, home, allowed):
    folders = [home] + sorted(p for p in home.rglob("*") if p.is_dir())
    for folder in folders:
        count, name = len(list(folder.glob("*.cc"))), folder.relative_to(root).as_posix()
        if count > max(MAX_SOURCES, allowed.get(name, 0)):
            yield f"{name}: {count} sources, at most {MAX_SOURCES} are wanted"


def _files(root, layer):
    for top in ("include", "src"):
        folder = root / top / "ksim" / layer
        yield from sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cc"))


def _lines(root, layer, pattern, wanted):
    places = []
    for path in filter(wanted, _files(root, layer)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line.partition("//")[0]):
                places.append(f"{path.relative_to(root).as_posix()}:{number}")
    return places


def _cli11(root, layer):
    return _lines(root, layer, re.compile(r'# *include [<"]CLI/'), lambda p: p.suffix == ".h")


def _comparisons(root, layer):
    return _lines(root, layer, VERSION, lambda p: p.stem not in VERSION_FILES)


def _headerless(root, layer):
    """Sources without a header of their name that do not say in their first line what they are."""
    public = {p.stem for p in (root / "include/ksim" / layer).rglob("*.h")}
    return [path.relative_to(root).as_posix()
            for path in sorted((root / "src/ksim" / layer).rglob("*.cc"))
            if path.stem not in public and not path.with_suffix(".h").exists()
            and not path.read_text(encoding="utf-8").startswith("// ")]
