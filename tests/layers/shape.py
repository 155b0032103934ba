"""The shape of each layer: its sub-folders, its sources and where they compare versions."""
import re

MAX_SOURCES = 40  # in a folder
README_LINES = 10, 30
ROOT = "root"     # the files that lie directly in the layer's folder
VERSION = re.compile(r"Compat::k|\bcompat\w*(?:\(\))? *(?:>=|<=|==|!=|<|>) *[\w:]")
VERSION_FILES = ("profile", "compat")


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

    def problems(self):
        for loop in self.loops():
            steps = [f"{a} includes {b} ({self.used[a][b]})"
                     for a, b in zip(loop, loop[1:] + loop[:1])]
            yield f"src/ksim/{self.layer}: a loop of sub-folders: {', '.join(steps)}"

    def graph(self):
        if set(self.used) <= {ROOT}:
            return []
        return [f"  {folder:22} {' '.join(sorted(self.used[folder]))}" for folder in
                sorted(self.used)]


def problems(root, layers):
    found = []
    for layer in layers:
        home = root / "src/ksim" / layer
        found += _full_folders(root, home)
        found += _readme(root, home)
        for places, what in (
                (_cli11(root, layer), "CLI11 is included by a header"),
                (_headerless(root, layer),
                 "no header of its name, and its first line does not say why"),
                (_comparisons(root, layer),
                 "a version is compared outside profile.* and compat.*")):
            found += [f"{place}: {what}" for place in places]
    return found


def _readme(root, home):
    path = home / "README.md"
    lines = len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
    if not README_LINES[0] <= lines <= README_LINES[1]:
        yield (f"{path.relative_to(root).as_posix()}: {lines} lines, "
               f"{README_LINES[0]} to {README_LINES[1]} are wanted")


def _full_folders(root, home):
    folders = [home] + sorted(p for p in home.rglob("*") if p.is_dir())
    for folder in folders:
        count, name = len(list(folder.glob("*.cc"))), folder.relative_to(root).as_posix()
        if count > MAX_SOURCES:
            yield f"{name}: {count} sources, at most {MAX_SOURCES} are allowed"


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
