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
    "src/ksim/controllers/rs.cc": '#include "ksim/sim/sim.h"\n',
    "src/ksim/scheduler/CMakeLists.txt": "ksim_module(scheduler SRCS s.cc DEPS sim)\n",
    "src/ksim/scheduler/s.cc": '#include "ksim/sim/sim.h"\n#include "ksim/scheduler/s.h"\n',
    "src/ksim/scheduler/s.h": "#pragma once\n",
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
]


class LayersTest(unittest.TestCase):
    def check(self, changes):
        root = pathlib.Path(tempfile.mkdtemp(prefix="ksim-layers-"))
        self.addCleanup(shutil.rmtree, root)
        for name, text in {**GOOD, **changes}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return layers.Layers(root).check()

    def test_passes_an_architecture_that_holds(self):
        self.assertEqual(self.check({}), [])

    def test_finds_each_fault(self):
        for changes, message in BAD:
            with self.subTest(message):
                self.assertIn(message, self.check(changes))

    def test_includes_in_comments_and_other_folders_do_not_count(self):
        self.assertEqual(self.check({"tests/sim/x_test.cc": '#include "ksim/cli/x.h"\n'}), [])


if __name__ == "__main__":
    unittest.main()
