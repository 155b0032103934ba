"""Differences from what real binaries did that no class (upstream_real_outcome.py) covers, each
with its reason. An entry that explains nothing any more is an error.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Explained:
    """`what`: how the difference's object begins, "" for any; `side`: "guest", "ksim" or "" for
    both; `cases` are names of cases of the file, `versions` those it holds for."""
    kind: str
    cases: tuple
    what: str
    why: str
    versions: tuple = ("1.30", "1.36")

    def covers(self, kind, version, case, difference):
        return kind == self.kind and version in self.versions and case in self.cases and \
            difference["what"].startswith(self.what)


EXPLAINED = ()
