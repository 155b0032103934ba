"""The layer check finds each way in which includes can disagree with the architecture."""
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import layers  # noqa: E402

GOOD = {
    "src/ksim/CMakeLists.txt": "foreach(layer base sim controllers\n scheduler cli)\n",
    "src/ksim/base/CMakeLists.txt": "ksim_module(base\n  SRCS time.cc\n  PACKAGES fmt::fmt)\n",
    "src/ksim/base/time.cc": '#include "ksim/base/time.h"\n#include <vector>\n',
    "include/ksim/base/time.h": '#include <string>\n#include "absl/status/statusor.h"\n',
    "src/ksim/sim/CMakeLists.txt": "ksim_module(sim SRCS sim.cc DEPS base)\n",
    "src/ksim/sim/sim.cc": '#include "ksim/sim/sim.h"\n',
    "include/ksim/sim/sim.h": '#include "ksim/base/time.h"\n',
    "src/ksim/controllers/CMakeLists.txt": "ksim_module(controllers SRCS rs.cc DEPS sim)\n",
    "src/ksim/controllers/rs.h": "",
    "src/ksim/controllers/rs.cc": '#include "ksim/sim/sim.h"\n',
    "src/ksim/scheduler/CMakeLists.txt": "ksim_module(scheduler SRCS s.cc DEPS sim)\n",
    "src/ksim/scheduler/s.cc": '#include "ksim/sim/sim.h"\n#include "ksim/scheduler/s.h"\n',
    "src/ksim/scheduler/s.h": "#pragma once\n",
    **{f"src/ksim/{layer}/README.md": "A line.\n" * 10
       for layer in ("base", "sim", "controllers", "scheduler", "cli")},
}

# what is changed -> what the check must say
BAD = [
    ({"src/ksim/base/time.cc": '\n#include "ksim/sim/sim.h"\n'},
     "src/ksim/base/time.cc:2: base includes sim, a layer below it"),
    ({"src/ksim/controllers/rs.cc": '#include "ksim/sim/sim.h"\n#include "ksim/base/time.h"\n'},
     "src/ksim/controllers/rs.cc:2: base is not among the DEPS of controllers"),
    ({"src/ksim/scheduler/CMakeLists.txt":
          "ksim_module(scheduler SRCS s.cc DEPS sim controllers)\n",
      "include/ksim/controllers/rs.h": "",
      "src/ksim/scheduler/s.cc": '#include "ksim/sim/sim.h"\n#include "ksim/controllers/rs.h"\n'},
     "src/ksim/scheduler/s.cc:2: scheduler and controllers know nothing of each other"),
    ({"src/ksim/sim/CMakeLists.txt": "ksim_module(sim SRCS sim.cc DEPS base controllers)\n"},
     "src/ksim/sim/CMakeLists.txt: controllers is not above sim in src/ksim/CMakeLists.txt"),
    ({"src/ksim/controllers/CMakeLists.txt": "ksim_module(controllers SRCS rs.cc DEPS sim base)\n"},
     "src/ksim/controllers/CMakeLists.txt: base is among the DEPS, but nothing includes it"),
    ({"src/ksim/sim/CMakeLists.txt": "ksim_module(sim SRCS sim.cc DEPS base strange)\n"},
     "src/ksim/sim/CMakeLists.txt: strange is no layer"),
    ({"include/ksim/sim/sim.h": '#include "ksim/base/time.h"\n#include "ksim/sim/hidden.h"\n',
      "src/ksim/sim/hidden.h": ""},
     "include/ksim/sim/sim.h:2: a public header includes ksim/sim/hidden.h, "
     "which is not installed"),
    ({"include/ksim/base/time.h": "#include <fmt/format.h>\n"},
     "include/ksim/base/time.h:1: a public header includes fmt/format.h, of another library"),
    ({"include/ksim/base/time.h": "#include <yaml.h>\n"},
     "include/ksim/base/time.h:1: a public header includes yaml.h, of another library"),
    ({"src/ksim/base/time.cc": '#include "ksim/base/nowhere.h"\n'},
     "src/ksim/base/time.cc:1: there is no ksim/base/nowhere.h"),
    ({"src/ksim/base/forgotten.cc": ""}, "src/ksim/base/forgotten.cc: not in CMakeLists.txt"),
    ({"src/ksim/base/time.h": ""},
     "src/ksim/base/time.h: a header of include/ has the same name"),
    ({"src/ksim/sim/queue/queue.h": '#include "ksim/sim/clock/deep/tick.h"\n',
      "src/ksim/sim/clock/deep/tick.h": '#include "ksim/sim/kernel.h"\n',
      "src/ksim/sim/kernel.h": '\n#include "ksim/sim/queue/queue.h"\n'},
     "src/ksim/sim: a loop of sub-folders: clock includes root "
     "(src/ksim/sim/clock/deep/tick.h:1), root includes queue (src/ksim/sim/kernel.h:2), "
     "queue includes clock (src/ksim/sim/queue/queue.h:1)"),
    ({f"src/ksim/sim/much/s{i}.{suffix}": "" for i in range(41) for suffix in ("cc", "h")},
     "src/ksim/sim/much: 41 sources, at most 40 are allowed"),
    ({"src/ksim/cli/command.h": "#include <CLI/CLI.hpp>\n"},
     "src/ksim/cli/command.h:1: CLI11 is included by a header"),
    ({"src/ksim/sim/alone.cc": ""},
     "src/ksim/sim/alone.cc: no header of its name, and its first line does not say why"),
    ({"src/ksim/sim/sim.cc": "\nif (compat_ >= api::Compat::k1_36) {}\n"},
     "src/ksim/sim/sim.cc:2: a version is compared outside profile.* and compat.*"),
    ({"include/ksim/sim/sim.h": "bool b = options.compat() == newest;\n"},
     "include/ksim/sim/sim.h:1: a version is compared outside profile.* and compat.*"),
    ({"src/ksim/sim/README.md": "# sim\n"}, "src/ksim/sim/README.md: 1 lines, 10 to 30 are wanted"),
]

# what may be so
HARMLESS = [
    {"src/ksim/sim/profile.cc": "compat >= api::Compat::k1_36\n",
     "src/ksim/sim/profile.h": "// from Compat::k1_30 on\n",
     "src/ksim/sim/sim.cc": "std::vector<Compat> compat_names; // compat < newest\n",
     "src/ksim/sim/CMakeLists.txt": "ksim_module(sim SRCS sim.cc profile.cc DEPS base)\n",
     "include/ksim/sim/sim.h": '#include "ksim/base/time.h"\n'},
    {"src/ksim/sim/rows/one.cc": "// One: a row of rows.h.\n",
     "src/ksim/sim/CMakeLists.txt": "ksim_module(sim SRCS sim.cc rows/one.cc DEPS base)\n"},
]


class LayersTest(unittest.TestCase):
    def tree(self, changes):
        root = pathlib.Path(tempfile.mkdtemp(prefix="ksim-layers-"))
        self.addCleanup(shutil.rmtree, root)
        for name, text in {**GOOD, **changes}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return root

    def check(self, changes):
        return layers.Layers(self.tree(changes)).check()

    def test_passes_an_architecture_that_holds(self):
        self.assertEqual(self.check({}), [])

    def test_finds_each_fault(self):
        for changes, message in BAD:
            with self.subTest(message):
                self.assertIn(message, self.check(changes))

    def test_passes_what_may_be_so(self):
        for changes in HARMLESS:
            with self.subTest(sorted(changes)[0]):
                self.assertEqual(self.check(changes), [])

    def test_prints_each_sub_folder_and_what_it_includes(self):
        root = self.tree({"src/ksim/sim/queue/queue.h": '#include "ksim/sim/kernel.h"\n',
                          "src/ksim/sim/kernel.h": ""})
        checked = layers.Layers(root)
        checked.check()
        self.assertIn("sim                      base\n  queue                  root\n  root\n",
                      checked.graph())

    def test_includes_in_comments_and_other_folders_do_not_count(self):
        self.assertEqual(self.check({"tests/sim/x_test.cc": '#include "ksim/cli/x.h"\n'}), [])


if __name__ == "__main__":
    unittest.main()
