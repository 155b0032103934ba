"""The lint flags the shapes that g++ 12 compiles wrongly, and passes those that are right."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import lint_co_await  # noqa: E402

BAD = {
    "designated initialiser": "co_await List(Opts{.ns = s});",
    "brace argument": "co_await List({.ns = s});",
    "list in a vector": "co_await F({\"a\", \"b\"});",
    "return in braces": "co_return R{co_await F(), 1};",
    "initialiser in braces": "R r{co_await F(), 1};",
    "ternary value": "T x = co_await F(c ? a : b);",
    "ternary task": "co_await (c ? F() : G());",
    "ternary without await": "int x = c ? 1 : co_await F();",
    "lambda argument": "co_await F([s] { return s; });",
    "lambda without captures": "co_await F([](int i) { return i; });",
    "if condition": "if (co_await F()) { x(); }",
    "else if condition": "if (a) { x(); } else if (co_await F()) { y(); }",
    "while condition": "while (co_await F()) x();",
    "do while condition": "do { x(); } while (co_await F());",
    "switch": "switch (co_await F()) { default: break; }",
    "range for": "for (auto& s : co_await L()) { x(s); }",
    "for condition": "for (int i = 0; i < co_await F(); ++i) { x(); }",
    "and": "bool b = a && co_await F();",
    "or": "bool b = co_await F() || a;",
    "check macro": "KSIM_CHECK(co_await F());",
    "test macro": "EXPECT_EQ(co_await F(), 1);",
    "statement expression": "int x = ({ co_await F(); });",
    "await in an argument list over lines": "co_await F(\n    a,\n    Opts{1});",
}

GOOD = {
    "plain": "co_await F(a, b);",
    "declaration": "T x = co_await F(a);",
    "structured by reference": "auto r = co_await F(); auto& [a, b] = r;",
    "forwarding reference": "auto&& x = co_await F();",
    "assignment": "x = co_await F(\"text {?}\", 'c');",
    "return": "co_return co_await F(Opts().Namespace(\"x\").Limit(5));",
    "macro of ours": "ASSIGN_OR_CO_RETURN(T x, co_await F());",
    "another macro of ours": "CO_RETURN_IF_ERROR(co_await F());",
    "body of an if": "if (a && b) { co_await F(); }",
    "body of an if without braces": "if (a && b) co_await F();",
    "body of a for": "for (const T& t : ts) { co_await F(t); }",
    "body of a while": "while (a || b) { co_await F(); }",
    "after a block": "{ x(); } co_await F();",
    "in a lambda coroutine": "auto f = [](Loop& l) -> Task<void> { co_await l.Sleep(1); };",
    "in a function that returns a template": "Task<std::vector<int>> F() { co_await G(); }",
    "subscript argument": "co_await F(v[i], m[k]);",
    "comment": "co_await F();  // not {, ? or && in code",
    "operator": "auto operator co_await() && { return Awaiter{h}; }",
    "else branch": "if (a) { x(); } else co_await F();",
    "in a try block": "try { co_await F(); } catch (...) { }",
    "case label": "switch (x) { case 1: co_await F(); }",
}


class LintCoAwait(unittest.TestCase):
    def test_flags_what_gxx_12_gets_wrong(self):
        for name, statement in BAD.items():
            with self.subTest(name):
                self.assertTrue(lint_co_await.lint(f"Task<void> F() {{ {statement} }}\n"))

    def test_passes_the_allowed_shapes(self):
        for name, statement in GOOD.items():
            with self.subTest(name):
                self.assertEqual(lint_co_await.lint(f"Task<void> F() {{ {statement} }}\n"), [])

    def test_names_the_place(self):
        found = lint_co_await.lint("Task<void> F() {\n  int a = 1;\n  if (co_await G()) {}\n}\n")
        self.assertEqual([(line, column) for line, column, _ in found], [(3, 7)])


if __name__ == "__main__":
    unittest.main()
