#!/usr/bin/env python3
"""Checks that what the layers include agrees with the architecture.

usage: layers.py [--root DIR] [--graph]
  --graph    prints each layer and its sub-folders, and what each includes

The architecture is written down twice, and both must hold: the list in src/ksim/CMakeLists.txt is
the order, and DEPS in each layer's ksim_module() names the layers it may include. Checked is that

  1. every DEPS entry stands above its layer in the list;
  2. a file includes only its own layer and those in its layer's DEPS, and each DEPS is used;
  3. controllers, scheduler and kubelet know nothing of each other;
  4. a header in include/ includes only headers in include/, and of other libraries only Abseil's
     Status, StatusOr, AnyInvocable and string_view;
  5. every "ksim/..." that is included exists, and no header of src/ and include/ shares a name;
  6. every source file of a layer is listed in its CMakeLists.txt;
  7. the sub-folders of a layer include each other in no loop, and neither do they and "root", the
     files that lie directly in src/ksim/LAYER; a folder within a sub-folder belongs to it, and
     public headers lie beneath them all;
  8. no folder of src/ holds more than 40 sources;
  9. a source has a header of its name, its own or a public one, or a comment in its first line says
     what it is a part of;
 10. CLI11 is included by no header;
 11. files compare versions of Kubernetes only if they are called profile.* or compat.*;
 12. a README.md of 10 to 30 lines describes each layer.

Exit code 1, and one line each, if anything is not so.
"""
import argparse
import pathlib
import re
import sys

import shape

STRANGERS = {"controllers", "scheduler", "kubelet"}
PUBLIC_THIRD_PARTY = {
    "absl/status/status.h", "absl/status/statusor.h", "absl/functional/any_invocable.h",
    "absl/strings/string_view.h"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


class Layers:
    def __init__(self, root):
        self.root = root
        listing = (root / "src/ksim/CMakeLists.txt").read_text(encoding="utf-8")
        words = re.search(r"foreach\(layer\s+([^)]*)\)", listing).group(1).split()
        self.order = {layer: rank for rank, layer in enumerate(words)}
        self.deps, self.sources = {}, {}
        for layer in self.order:
            self._read_module(layer)
        self.used = {layer: {} for layer in self.order}  # layer -> {included layer: first place}
        self.folders = {layer: shape.Folders(root, layer) for layer in self.order}
        self.problems = []

    def _read_module(self, layer):
        path = self.root / "src/ksim" / layer / "CMakeLists.txt"
        if not path.exists():
            return
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        module = re.search(r"ksim_module\(\s*(\w+)([^)]*)\)", text)
        groups = re.split(r"\b(SRCS|DEPS|PACKAGES)\b", module.group(2))
        lists = dict(zip(groups[1::2], (g.split() for g in groups[2::2])))
        self.deps[layer] = lists.get("DEPS", [])
        self.sources[layer] = set(re.findall(r"[\w/.-]+\.cc\b", text))

    def problem(self, place, message):
        self.problems.append(f"{place}: {message}")

    def check(self):
        for layer in self.order:
            for path in self._files(layer):
                self._check_file(layer, path)
        for layer, deps in self.deps.items():
            self._check_deps(layer, deps)
            self._check_sources(layer)
        self._check_names()
        for folders in self.folders.values():
            self.problems += folders.problems()
        self.problems += shape.problems(self.root, self.order)
        return sorted(self.problems)

    def _files(self, layer):
        for top in ("include", "src"):
            folder = self.root / top / "ksim" / layer
            yield from sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cc"))

    def _check_file(self, layer, path):
        text = path.read_text(encoding="utf-8")
        public = path.is_relative_to(self.root / "include")
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            place = f"{path.relative_to(self.root).as_posix()}:{line}"
            self._check_include(layer, public, place, match.group(1), match.group(2))
            if not public:
                self.folders[layer].add(path, place, match.group(2))

    def _check_include(self, layer, public, place, quote, name):
        if not name.startswith("ksim/"):
            third_party = quote == '"' or "/" in name or name in ("yaml.h", "xxhash.h")
            if public and third_party and not name.startswith("sys/") and (
                    name not in PUBLIC_THIRD_PARTY):
                self.problem(place, f"a public header includes {name}, of another library")
            return
        in_include = (self.root / "include" / name).exists()
        if not in_include and not (self.root / "src" / name).exists():
            self.problem(place, f"there is no {name}")
        elif public and not in_include:
            self.problem(place, f"a public header includes {name}, which is not installed")
        other = name.split("/")[1]
        if other == layer or other not in self.order:
            return
        self.used[layer].setdefault(other, place)
        if self.order[other] > self.order[layer]:
            self.problem(place, f"{layer} includes {other}, a layer below it")
        elif {layer, other} <= STRANGERS:
            self.problem(place, f"{layer} and {other} know nothing of each other")
        elif layer in self.deps and other not in self.deps[layer]:
            self.problem(place, f"{other} is not among the DEPS of {layer}")

    def _check_deps(self, layer, deps):
        place = f"src/ksim/{layer}/CMakeLists.txt"
        for dep in deps:
            if dep not in self.order:
                self.problem(place, f"{dep} is no layer")
            elif self.order[dep] >= self.order[layer]:
                self.problem(place, f"{dep} is not above {layer} in src/ksim/CMakeLists.txt")
            elif dep not in self.used[layer]:
                self.problem(place, f"{dep} is among the DEPS, but nothing includes it")

    def _check_sources(self, layer):
        folder = self.root / "src/ksim" / layer
        for path in sorted(folder.rglob("*.cc")):
            if path.relative_to(folder).as_posix() not in self.sources[layer]:
                self.problem(path.relative_to(self.root).as_posix(), "not in CMakeLists.txt")

    def _check_names(self):
        for path in sorted((self.root / "src/ksim").rglob("*.h")):
            name = path.relative_to(self.root / "src")
            if (self.root / "include" / name).exists():
                self.problem(f"src/{name.as_posix()}", "a header of include/ has the same name")

    def graph(self):
        lines = []
        for layer in self.order:
            lines.append(f"{layer:24} {' '.join(sorted(self.used[layer], key=self.order.get))}")
            lines += self.folders[layer].graph()
        return "\n".join(line.rstrip() for line in lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--graph", action="store_true")
    arguments = parser.parse_args()
    layers = Layers(arguments.root.resolve())
    problems = layers.check()
    if arguments.graph:
        print(layers.graph())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
