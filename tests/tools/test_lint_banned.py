"""Each rule of the lint flags a sample that breaks it, and lets off who is exempt."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import lint_banned  # noqa: E402

IN_SIM = "src/ksim/sim/sample.cc"

BAD = {
    "clock": [
        "auto t = std::chrono::steady_clock::now();", "using C = std::chrono::system_clock;",
        "clock_gettime(CLOCK_MONOTONIC, &ts);", "auto t = std::time(nullptr);",
        "auto t = time(NULL);", "absl::Now();", '#include "absl/time/clock.h"'],
    "random": [
        "std::random_device d;", "int x = rand();", "srand(1);",
        "std::uniform_int_distribution<int> d(0, 9);", "std::shuffle(a.begin(), a.end(), g);",
        "absl::BitGen g;"],
    "engine": ["std::mt19937_64 g(1);", "#include <random>"],
    "environment": ["const char* home = getenv(\"HOME\");", "std::getenv(\"TZ\");", "getpid();"],
    "locale": ["localtime(&t);", "std::setlocale(LC_ALL, \"\");", "#include <locale>"],
    "files": ["std::ifstream in(path);", "std::fopen(p, \"r\");",
              "int fd = ::open(p, O_RDONLY);", "fs::directory_iterator i(p);"],
    "process": ["std::system(\"ls\");", "fork();", "std::exit(1);", "_exit(70);"],
    "threads": ["std::thread t(f);", "std::mutex m;", "#include <thread>", "std::atomic<int> a;"],
    "hash": ["std::hash<std::string>{}(s);", "absl::HashOf(a, b);"],
    "hash-order": [
        "absl::flat_hash_map<K, V> m;\nvoid F() { for (auto& [k, v] : m) G(k); }",
        "std::unordered_set<K> seen_;\nvoid F() { auto i = seen_.begin(); }",
        "absl::flat_hash_map<K, std::vector<V>> m_;\nvoid F() { for (auto& e : this->m_) G(e); }"],
    "pointer-order": ["std::set<Node*> s;", "absl::btree_map<const Pod*, int> m;"],
    "static": [
        "static int counter = 0;", "void F() { static std::vector<int> seen; }",
        "thread_local Pool pool;", "inline static int x{};"],
    "goto": ["goto end;"],
    "formatter": ["struct fmt::formatter<Thing> : fmt::formatter<fmt::string_view> {",
                  "template <> class formatter<Thing> {"],
    "include-path": ['#include "../sim/task.h"', '#include "./task.h"'],
    "leftover": ["// TO" "DO: later", "// FIX" "ME"],
    "machine-path": ["// see /ho" "me/someone/notes.txt"],
    "stray-path": ["// see ." "./../../../other/design.md", "// see ." "./nowhere.md"],
    "columns": ["// " + "x" * 98],
    "trailing-space": ["int x; "],
    "comments": ["// What is left.", "  // Of the pods.", "# Who asks."],
    "length": ["int x;\n" * 501],
}

GOOD = [
    "sim::Time now = clock.now();", "clock.time();", "Duration time(int x);", "request.open();",
    "bool open(int n);",
    "VirtualTime time() const;", "Clock& clock();",
    "// steady_clock is not used here", 'Say("rand() and getenv() in a text");',
    "static constexpr int kMax = 5;", "static const std::string* const kNames = Make();",
    "static Foo* Create(int a);", "static int Rank(const Pod& pod) { return 1; }",
    "static_assert(sizeof(int) == 4);", "absl::flat_hash_map<K, V> m;\nauto i = m.find(k);",
    "absl::btree_map<K, V> m;\nvoid F() { for (auto& e : m) G(e); }",
    "int million = 1'000'000;  // it's a digit separator", "auto s = R\"(std::thread)\";",
    "operator_static x;", "// " + "x" * 97,
    "std::map<std::string, Pod*> pods;",
]


def rules(text, name=IN_SIM):
    """The rules that flag `text` as the content of the file `name`."""
    found = lint_banned.lint(ROOT / name, name, text + "\n")
    return {message.rsplit("[", 1)[1].rstrip("]") for _, _, message in found}


class LintBanned(unittest.TestCase):
    def test_each_rule_flags_its_samples(self):
        for rule, samples in BAD.items():
            for sample in samples:
                with self.subTest(sample[:60]):
                    self.assertIn(rule, rules(sample))

    def test_passes_what_is_right(self):
        for sample in GOOD:
            with self.subTest(sample[:60]):
                self.assertEqual(rules(sample), set())

    def test_every_rule_has_a_sample(self):
        known = {rule for rule, *_ in lint_banned.CODE_RULES + lint_banned.INCLUDE_RULES}
        self.assertEqual(known - BAD.keys(), set())

    def test_only_the_edge_of_the_program_may_meet_the_real_world(self):
        sample = "auto t = std::chrono::steady_clock::now();"
        self.assertEqual(rules(sample, "src/ksim/base/os.cc"), set())
        self.assertEqual(rules(sample, "src/ksim/cli/run.cc"), set())
        self.assertEqual(rules(sample, "src/ksim/store/store.cc"), {"clock"})
        self.assertEqual(rules("#include <random>", "src/ksim/cli/run.cc"), {"engine"})
        self.assertEqual(rules("#include <random>", "tests/sim/loop_test.cc"), set())
        self.assertEqual(rules("std::random_device d;", "tests/sim/loop_test.cc"), {"random"})

    def test_a_reason_lets_a_line_off(self):
        self.assertEqual(rules("static int x = 0;  // NOLINT(ksim-static): a reason"), set())
        self.assertEqual(rules("// NOLINT(ksim-static): a reason,\n// long\nstatic int x = 0;"),
                         set())
        self.assertEqual(rules("static int x = 0;  // NOLINT(ksim-static)"), {"static"})
        self.assertEqual(rules("static int x = 0;  // NOLINT(ksim-clock): wrong rule"), {"static"})
        whole = "static int x = 0;\nstatic int y = 0;\n"
        self.assertEqual(rules("// NOLINTFILE(ksim-static): a reason\n" + whole), set())
        self.assertEqual(rules("// NOLINTFILE(ksim-static)\n" + whole), {"static"})

    def test_data_of_tests_may_be_as_odd_as_it_must(self):
        for name, expected in (("tests/value/bad.json", []), ("scenarios/x.yaml", ["final"])):
            found = lint_banned.lint(ROOT / name, name, "a: 1 \nb")
            self.assertEqual(["final" for *_, m in found if "final-newline" in m], expected)

    def test_names_the_place(self):
        found = lint_banned.lint(ROOT / IN_SIM, IN_SIM, "int a;\nint b = rand();\n")
        self.assertEqual([(line, column) for line, column, _ in found], [(2, 9)])


if __name__ == "__main__":
    unittest.main()
