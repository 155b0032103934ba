"""tools/ksim on a small project of its own: builds what is stale, and else stays out of the way.

Nothing is installed for real: where a package is missing, a stand-in for apt-get brings it.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = r"""
#include <cstdio>
#include "answer.h"
int main(int argc, char** argv) {
  std::printf("%d", kAnswer);
  for (int i = 1; i < argc; ++i) std::printf("|%s", argv[i]);
  for (int c; (c = std::getchar()) != EOF;) std::putchar(c);
  return argc > 1 && argv[1][0] == 'f' ? 3 : 0;
}
"""
LISTS = """
cmake_minimum_required(VERSION 3.24)
project(sample LANGUAGES CXX)
add_executable(ksim src/main.cc)
target_include_directories(ksim PRIVATE include)
set_target_properties(ksim PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
enable_testing()
if(KSIM_BUILD_TESTS)
  add_test(NAME answers COMMAND ksim)
  add_test(NAME fails COMMAND ksim f)
endif()
"""


class Clone:
    """A checkout with tools/ and a program that prints a number and its arguments."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ROOT / "tools", folder / "tools")
        self.write("src/main.cc", PROGRAM)
        self.write("include/answer.h", "constexpr int kAnswer = 41;\n")
        self.write("cmake/empty.cmake", "")
        self.write("CMakeLists.txt", LISTS)
        self.write("VERSION", "0\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, *arguments, script="tools/ksim", cwd="/", stdin="", **environment):
        done = subprocess.run(
            [str(self.folder / script), *arguments], cwd=cwd, input=stdin, text=True,
            capture_output=True, check=False, env=clean_environment(**environment))
        self.stderr = done.stderr
        return done.returncode, done.stdout


def clean_environment(**environment):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("KSIM_", "CTEST_"))}
    return {**inherited, "KSIM_NO_INSTALL": "1", **environment}


class Ksim(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ksim tools ")).resolve()
        cls.clone = Clone(cls.scratch / "a clone")
        cls.first = cls.clone.run("a b")
        cls.first_stderr = cls.clone.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def build_dir(self):
        return self.clone.folder / "build/release"

    def assertQuiet(self):
        self.assertEqual(self.clone.stderr, "")

    def test_first_call_builds_and_runs(self):
        self.assertEqual(self.first, (0, "41|a b"))
        self.assertIn("ksim: building", self.first_stderr)

    def test_second_call_starts_no_build_tool_and_says_nothing(self):
        fakes = self.scratch / "fakes"
        fakes.mkdir()
        for name in ("cmake", "ninja", "g++", "apt-get", "sudo"):
            (fakes / name).write_text("#!/bin/sh\necho called >&2; exit 1\n")
            (fakes / name).chmod(0o755)
        result = self.clone.run("x", PATH=f"{fakes}:{os.environ['PATH']}")
        self.assertEqual(result, (0, "41|x"))
        self.assertQuiet()

    def test_second_call_adds_less_than_50_ms(self):
        program = [str(self.build_dir() / "bin/ksim")]
        script = [str(self.clone.folder / "tools/ksim")]

        def fastest(command):
            times = []
            for _ in range(20):
                begun = time.perf_counter()
                subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
                times.append(time.perf_counter() - begun)
            return min(times)

        self.assertLess(fastest(script) - fastest(program), 0.050)

    def test_passes_cwd_stdin_and_exit_code(self):
        self.assertEqual(self.clone.run("f", stdin="in", cwd=self.scratch), (3, "41|fin"))

    def test_is_found_through_a_symlink_from_anywhere(self):
        link = self.scratch / "link to ksim"
        link.symlink_to(self.clone.folder / "tools/ksim")
        done = subprocess.run([str(link), "y"], cwd=self.scratch, capture_output=True, text=True,
                              input="", check=False, env=clean_environment(CDPATH="/:/usr"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "41|y", ""))

    def test_is_found_relative_to_its_own_folder(self):
        for cwd, name in (("tools", "./ksim"), ("tools/lib", "../ksim"), (".", "tools/ksim")):
            with self.subTest(cwd):
                done = subprocess.run(
                    ["bash", name], cwd=self.clone.folder / cwd, capture_output=True, text=True,
                    input="", check=False, env=clean_environment(CDPATH="/:/usr"))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "41", ""))

    def test_a_changed_header_is_built_in(self):
        self.clone.write("include/answer.h", "constexpr int kAnswer = 42;\n")
        try:
            self.assertEqual(self.clone.run(), (0, "42"))
        finally:
            self.clone.write("include/answer.h", "constexpr int kAnswer = 41;\n")
        self.assertEqual(self.clone.run(), (0, "41"))
        self.clone.run()
        self.assertQuiet()

    def test_a_file_that_changes_nothing_costs_no_words(self):
        self.clone.write("src/notes.txt", "of no use\n")
        self.assertEqual(self.clone.run(), (0, "41"))
        self.assertQuiet()
        os.unlink(self.clone.folder / "src/notes.txt")
        self.assertEqual(self.clone.run(), (0, "41"))
        self.assertQuiet()

    def test_a_failed_build_is_69_and_names_the_log(self):
        self.clone.write("src/main.cc", "int main() { return undeclared_name; }\n")
        try:
            self.assertEqual(self.clone.run(), (69, ""))
            self.assertIn("undeclared_name", self.clone.stderr)
            log = pathlib.Path(self.clone.stderr.strip().rsplit("log: ", 1)[1])
            self.assertIn("undeclared_name", log.read_text(encoding="utf-8"))
            self.assertEqual(self.clone.run(), (69, ""))
        finally:
            self.clone.write("src/main.cc", PROGRAM)
        self.assertEqual(self.clone.run(), (0, "41"))

    def test_another_build_directory_relative_to_the_caller(self):
        result = self.clone.run(cwd=self.scratch, KSIM_BUILD_DIR="other build")
        self.assertEqual(result, (0, "41"))
        self.assertTrue((self.scratch / "other build/bin/ksim").exists())
        self.assertEqual(self.clone.run(cwd=self.scratch, KSIM_BUILD_DIR="other build"), (0, "41"))
        self.assertQuiet()

    def test_an_unwritable_build_directory_is_69(self):
        self.assertEqual(self.clone.run(KSIM_BUILD_DIR="/dev/null/build"), (69, ""))
        self.assertIn("cannot write to /dev/null/build", self.clone.stderr)
        log = pathlib.Path(self.clone.stderr.strip().rsplit("log: ", 1)[1])
        self.assertTrue(log.exists())
        log.unlink()

    def test_two_at_once_build_once(self):
        environment = clean_environment(KSIM_BUILD_DIR=str(self.scratch / "shared build"))
        calls = [subprocess.Popen([str(self.clone.folder / "tools/ksim")], env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) for _ in range(3)]
        ends = [(*call.communicate(), call.returncode) for call in calls]
        self.assertEqual([(out, code) for out, _, code in ends], [("41", 0)] * 3)
        self.assertEqual(sum("building" in err for _, err, _ in ends), 1)

    def test_a_clone_that_moved_is_built_anew(self):
        moved = self.scratch / "moved"
        shutil.copytree(self.clone.folder, moved, symlinks=True)
        for name in ("src/main.cc", "CMakeLists.txt"):
            os.utime(moved / name, (0, 0))
        (moved / "include/answer.h").write_text("constexpr int kAnswer = 43;\n")
        clone = Clone.__new__(Clone)
        clone.folder = moved
        self.assertEqual(clone.run(), (0, "43"))
        self.assertEqual(clone.run(), (0, "43"))
        self.assertEqual(clone.stderr, "")

    def test_tools_test_runs_ctest_with_its_arguments(self):
        code, out = self.clone.run("-R", "answers", script="tools/test")
        self.assertEqual(code, 0, self.clone.stderr)
        self.assertIn("100% tests passed, 0 tests failed out of 1", out)
        code, out = self.clone.run(script="tools/test")
        self.assertNotEqual(code, 0)
        self.assertIn("50% tests passed", out)
        self.assertEqual(self.clone.run("z"), (0, "41|z"))
        self.assertQuiet()


PROFILED_LISTS = LISTS + """
add_executable(run_bench src/run_bench.cc)
set_target_properties(run_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
foreach(program ksim run_bench)
  target_compile_definitions(${program} PRIVATE
    PROFILE="${KSIM_PROFILE}" NOTES="${PROJECT_BINARY_DIR}/trained.txt")
endforeach()
"""
# The stand-in of the benchmark takes its notes while it runs, not before.
RUN_BENCH = r"""
#include <cstdio>
int main() {
  std::FILE* notes = std::fopen(NOTES, "a");
  return notes == nullptr || std::fputs(PROFILE " ", notes) < 0 ? 1 : std::fclose(notes);
}
"""


@unittest.skipUnless(shutil.which("clang++-19"), "no clang++-19 here")
class Profiled(unittest.TestCase):
    """tools/pgo: built to take notes, run, and built again with them."""

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ksim tools ")).resolve()
        self.addCleanup(shutil.rmtree, self.scratch)
        self.clone = Clone(self.scratch / "clone")
        self.clone.write("CMakeLists.txt", PROFILED_LISTS)
        self.clone.write("src/run_bench.cc", RUN_BENCH)
        self.clone.write("src/main.cc", '#include <cstdio>\nint main() { std::puts(PROFILE); }\n')
        self.clone.write("scenarios/one.yaml", "")
        self.clone.write("scenarios/museum/two.yaml", "")
        # The clone's benchmark needs no library, but tools/pgo asks for Google Benchmark's header.
        header = self.scratch / "headers/benchmark/benchmark.h"
        header.parent.mkdir(parents=True)
        header.touch()
        with_header = unittest.mock.patch.dict(os.environ, CPATH=str(self.scratch / "headers"))
        with_header.start()
        self.addCleanup(with_header.stop)

    def test_trains_the_first_build_and_leaves_the_second(self):
        build = self.clone.folder / "build/pgo"
        result = self.clone.run(script="tools/pgo", PATH=self.with_llvm("exit 1"))
        self.assertEqual(result, (0, f"{build}/bin/ksim\n"), self.clone.stderr)
        self.assertEqual((build / "trained.txt").read_text(), "generate ")
        log = (build / "ksim-build.log").read_text()
        self.assertEqual(log.count("generate\n"), 2)  # one for each scenario
        self.assertEqual(self.clone.run(KSIM_BUILD_DIR=str(build)), (0, "use\n"))
        self.assertEqual(self.clone.stderr, "")

    def with_llvm(self, bolt, profdata="exit 0"):
        """A PATH on which llvm-bolt-19 and llvm-profdata-19 are these; the calls are noted."""
        fakes = self.scratch / "fakes"
        fakes.mkdir()
        for name, script in (("bolt", bolt), ("profdata", profdata)):
            fake = fakes / f"llvm-{name}-19"
            fake.write_text(f'#!/bin/bash\necho "$@" >>"{self.scratch}/{name}.calls"\n{script}\n')
            fake.chmod(0o755)
        return f"{fakes}:{os.environ['PATH']}"

    def test_what_llvm_bolt_made_of_the_programs_is_left(self):
        # The stand-in's programs say so: those that count, and those laid out by the counts.
        path = self.with_llvm(textwrap.dedent("""\
            while [ $# -gt 0 ]; do
              case $1 in
                -o) out=$2 ;;
                -data=*) [ -e "${1#-data=}" ] || exit 1; laid=1 ;;
                --instrumentation-file=*) notes=${1#*=} ;;
              esac
              shift
            done
            if [ -n "$laid" ]; then echo 'echo laid'; else echo "touch '$notes'"; fi >"$out"
            chmod +x "$out"
            """))
        build = self.clone.folder / "build/pgo"
        self.assertEqual(self.clone.run(script="tools/pgo", PATH=path)[0], 0, self.clone.stderr)
        self.assertNotIn("failed", self.clone.stderr)
        for program in ("bin/ksim", "bench/run_bench"):
            self.assertEqual((build / program).read_text(), "echo laid\n")
            self.assertEqual(sorted(p.name for p in (build / program).parent.iterdir()),
                             [pathlib.Path(program).name])
        calls = (self.scratch / "bolt.calls").read_text()
        self.assertEqual(calls.count(" -instrument "), 2)
        self.assertEqual(calls.count(" -data="), 2)

    def test_where_llvm_bolt_fails_the_programs_stay(self):
        build = self.clone.folder / "build/pgo"
        result = self.clone.run(script="tools/pgo", PATH=self.with_llvm("exit 1"))
        self.assertEqual(result, (0, f"{build}/bin/ksim\n"))
        self.assertIn("llvm-bolt failed: ksim stays as it was linked", self.clone.stderr)
        self.assertEqual(self.clone.run(KSIM_BUILD_DIR=str(build)), (0, "use\n"))

    def test_a_profile_that_cannot_be_read_is_told(self):
        path = self.with_llvm("exit 1", profdata="echo no notes; exit 1")
        self.assertEqual(self.clone.run(script="tools/pgo", PATH=path), (69, ""))
        self.assertIn("llvm-profdata-19 failed", self.clone.stderr)
        self.assertIn("no notes", self.clone.stderr)
        self.assertIn("merge -o", (self.scratch / "profdata.calls").read_text())

    def test_a_benchmark_that_fails_is_told(self):
        self.clone.write("src/run_bench.cc", "int main() { return 1; }\n")
        path = self.with_llvm("exit 1")
        code, out = self.clone.run(script="tools/pgo", PATH=path)
        self.assertEqual((code, out), (69, ""))
        self.assertIn("run_bench failed", self.clone.stderr)
        build = self.clone.folder / "build/pgo"
        self.assertEqual(self.clone.run(KSIM_BUILD_DIR=str(build)), (0, "\n"), self.clone.stderr)


class Installing(unittest.TestCase):
    """With a PATH that lacks ninja."""

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="ksim tools ")).resolve()
        self.addCleanup(shutil.rmtree, self.scratch)
        self.clone = Clone(self.scratch / "clone")
        self.bin = self.scratch / "bin"
        self.bin.mkdir()
        for folder in ("/usr/bin", "/bin"):
            for path in pathlib.Path(folder).iterdir():
                if path.name not in ("ninja", "apt-get", "sudo") and not (
                        self.bin / path.name).exists():
                    (self.bin / path.name).symlink_to(path)

    def command(self, name, script):
        path = self.bin / name
        path.write_text(textwrap.dedent(script))
        path.chmod(0o755)

    def fake_apt_get(self, end):
        self.command("sudo", '#!/bin/bash\n[ "$1" = -n ] && shift\nexec "$@"\n')
        self.command("apt-get", f"""\
            #!/bin/bash
            echo "$@" >>"{self.scratch}/apt-get.calls"
            {end}
            """)

    def calls(self):
        return (self.scratch / "apt-get.calls").read_text().splitlines()

    def test_forbidden_names_what_is_missing(self):
        self.fake_apt_get("exit 0")
        self.assertEqual(self.clone.run(PATH=str(self.bin)), (69, ""))
        self.assertIn("ninja-build", self.clone.stderr)
        self.assertNotIn("cmake ", self.clone.stderr)
        self.assertIn("log: ", self.clone.stderr)
        self.assertFalse((self.scratch / "apt-get.calls").exists())

    def test_installs_only_what_is_missing(self):
        self.fake_apt_get(f'[[ "$*" == *update* ]] || '
                          f'ln -s {shutil.which("ninja")} "{self.bin}/ninja"')
        self.assertEqual(self.clone.run(PATH=str(self.bin), KSIM_NO_INSTALL=""), (0, "41"))
        self.assertIn("ksim: installing ninja-build\n", self.clone.stderr)
        update, install = self.calls()
        self.assertTrue(update.endswith(" update"))
        self.assertTrue(install.endswith("install -y --no-install-recommends ninja-build"))

    def test_a_failed_update_is_no_failure_yet(self):
        self.fake_apt_get(f'[[ "$*" == *update* ]] && exit 100; '
                          f'ln -s {shutil.which("ninja")} "{self.bin}/ninja"')
        self.assertEqual(self.clone.run(PATH=str(self.bin), KSIM_NO_INSTALL=""), (0, "41"))

    def test_a_failed_installation_is_69(self):
        self.fake_apt_get('echo "E: Unable to locate package"; exit 100')
        self.assertEqual(self.clone.run(PATH=str(self.bin), KSIM_NO_INSTALL=""), (69, ""))
        self.assertIn("E: Unable to locate package", self.clone.stderr)
        self.assertIn("log: ", self.clone.stderr)

    def test_without_apt_get_it_says_what_to_bring(self):
        self.assertEqual(self.clone.run(PATH=str(self.bin), KSIM_NO_INSTALL=""), (69, ""))
        self.assertIn("ninja-build", self.clone.stderr)


if __name__ == "__main__":
    unittest.main()
