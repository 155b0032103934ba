// Error texts, limits, costs and Kubernetes' libraries.
#include <gtest/gtest.h>

#include <string>

#include "ksim/base/status.h"
#include "ksim/cel/environment.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/json.h"

namespace ksim::cel {
namespace {

const Activation kNothing = [](std::string_view) -> std::optional<Val> { return std::nullopt; };

Environment Kube(int minor = 36) { return Environment(EnvironmentOptions::Kubernetes(minor)); }

std::string CompileError(const std::string& text, int minor = 36) {
  const absl::StatusOr<Program> program = Kube(minor).Compile(text);
  return program.ok() ? "" : std::string(Message(program.status()));
}

// The value as a literal, or the error's text.
std::string Eval(const std::string& text, int minor = 36) {
  const absl::StatusOr<Program> program = Kube(minor).Compile(text);
  if (!program.ok()) return std::string(Message(program.status()));
  const Val v = program->Evaluate(kNothing).value;
  return v.is_error() ? std::string(v.message()) : FormatLiteral(v);
}

std::uint64_t CostOf(const std::string& text) {
  return Kube().Compile(text)->Evaluate(kNothing).cost;
}

TEST(Cel, ErrorsOfTheCheckerShowTheirPlace) {
  EXPECT_EQ(CompileError("1 + x"),
            "ERROR: <input>:1:5: undeclared reference to 'x' (in container '')\n"
            " | 1 + x\n"
            " | ....^");
  EXPECT_EQ(CompileError("1 + 'a'"),
            "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n"
            " | 1 + 'a'\n"
            " | ..^");
  EXPECT_EQ(CompileError("foo(1)"),
            "ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n"
            " | foo(1)\n"
            " | ...^");
  EXPECT_EQ(CompileError("[1, 'a']"),
            "ERROR: <input>:1:5: expected type 'int' but found 'string'\n"
            " | [1, 'a']\n"
            " | ....^");
  EXPECT_EQ(CompileError("'\xC3\xA4'.size() + y"),
            "ERROR: <input>:1:14: undeclared reference to 'y' (in container '')\n"
            " | '\xC3\xA4'.size() + y\n"
            " | .\xEF\xBC\x8E...........^");
}

TEST(Cel, ErrorsOfSyntax) {
  EXPECT_EQ(CompileError("1 +"),
            "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', "
            "'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
            "IDENTIFIER}\n"
            " | 1 +\n"
            " | ...^");
  EXPECT_NE(CompileError("a b").find("extraneous input 'b' expecting <EOF>"), std::string::npos);
  EXPECT_NE(CompileError("for").find("reserved identifier: for"), std::string::npos);
  EXPECT_NE(CompileError("1 + $").find("token recognition error at: '$'"), std::string::npos);
}

TEST(Cel, LimitsOfTheParser) {
  const std::string deep = std::string(300, '(') + "1" + std::string(300, ')');
  EXPECT_EQ(CompileError(deep), "ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
  std::string sum = "1";
  for (int i = 0; i < 300; ++i) sum += "+1";
  EXPECT_EQ(CompileError(sum), "ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
  std::string logic = "true";
  for (int i = 0; i < 5000; ++i) logic += " && true";
  EXPECT_EQ(Eval(logic), "true");
  EXPECT_EQ(CompileError(std::string(100'001, ' ')),
            "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100001, limit "
            "100000");
  std::string doubling = "optional.of(1)";
  for (int i = 0; i < 60; ++i) doubling += ".optMap(x, x)";
  EXPECT_NE(CompileError(doubling), "");
}

TEST(Cel, ErrorsOfEvaluation) {
  EXPECT_EQ(Eval("{'a': 1}.b"), "no such key: b");
  EXPECT_EQ(Eval("[1][5]"), "index out of bounds: 5");
  EXPECT_EQ(Eval("1 / 0"), "division by zero");
  EXPECT_EQ(Eval("1 % 0"), "modulus by zero");
  EXPECT_EQ(Eval("9223372036854775807 + 1"), "integer overflow");
  EXPECT_EQ(Eval("0u - 1u"), "unsigned integer overflow");
  EXPECT_EQ(Eval("dyn(1) + dyn('a')"), "no such overload");
  EXPECT_EQ(Eval("dyn(0.5).all(x, true)"), "got 'types.Double', expected iterable type");
  EXPECT_EQ(Eval("true || 1 / 0 > 0"), "true");
  EXPECT_EQ(Eval("1 / 0 > 0 || true"), "true");
  EXPECT_EQ(Eval("[1, 0].exists(x, 1 / x > 0)"), "true");
  EXPECT_EQ(Eval("[0, 1].all(x, 1 / x > 0)"), "division by zero");
}

TEST(Cel, CostEndsAnEvaluation) {
  std::string list = "[";
  for (int i = 0; i < 100; ++i) list += std::to_string(i) + ",";
  list += "]";
  const std::string text =
      list + ".all(a, " + list + ".all(b, " + list + ".all(c, a + b + c >= 0)))";
  const Evaluation e = Kube().Compile(text)->Evaluate(kNothing);
  EXPECT_EQ(e.value.message(), "operation cancelled: actual cost limit exceeded");
  EXPECT_GT(e.cost, kPerCallLimit);
  EXPECT_EQ(CostOf("1 + 1"), 1u);
  EXPECT_EQ(CostOf("[1, 2, 3].all(x, x > 0)"), 3u * 5 + 1);
}

TEST(Cel, LibrariesByVersion) {
  EXPECT_NE(CompileError("ip('1.2.3.4')", 29), "");
  EXPECT_EQ(CompileError("ip('1.2.3.4')", 30), "");
  EXPECT_NE(CompileError("semver('1.2.3')", 30), "");
  EXPECT_NE(CompileError("optional.of(1)", 25), "");
  EXPECT_NE(CompileError("1 < 2.0", 25), "");
  EXPECT_EQ(CompileError("1 < 2.0", 30), "");
  EXPECT_EQ(CompileError("[1, 2].isSorted()", 25), "");
}

TEST(Cel, KubernetesLibraries) {
  EXPECT_EQ(Eval("quantity('1.5Gi').isGreaterThan(quantity('1G'))"), "true");
  EXPECT_EQ(Eval("quantity('50k').add(20) == quantity('50020')"), "true");
  EXPECT_EQ(Eval("quantity('200M').asInteger()"), "200000000");
  EXPECT_EQ(Eval("url('https://user@example.com:80/a/%20b?k=v&k=w#f').getHost()"),
            "\"example.com:80\"");
  EXPECT_EQ(Eval("url('https://[::1]:80/').getHostname()"), "\"::1\"");
  EXPECT_EQ(Eval("url('x').getHost()"),
            "URL parse error during conversion from string: parse \"x\": invalid URI for request");
  EXPECT_EQ(Eval("cidr('192.168.0.0/24').containsIP('192.168.0.1')"), "true");
  EXPECT_EQ(Eval("cidr('2001:db8::/32').containsCIDR('2001:db8:1::/48')"), "true");
  EXPECT_EQ(Eval("string(ip('2001:DB8:0:0:0:0:0:1'))"), "\"2001:db8::1\"");
  EXPECT_EQ(Eval("ip('::ffff:1.2.3.4')"),
            "IPv4-mapped IPv6 address \"::ffff:1.2.3.4\" is not allowed");
  EXPECT_EQ(Eval("semver('1.2.3-alpha.1').isLessThan(semver('1.2.3'))"), "true");
  EXPECT_EQ(Eval("semver('v1.2', true).minor()"), "2");
  EXPECT_EQ(Eval("format.dns1123Label().validate('A').hasValue()"), "true");
  EXPECT_EQ(Eval("format.named('uuid').value().validate('x').value()"),
            "[\"does not match the UUID format\"]");
  EXPECT_EQ(Eval("'a1b22'.findAll('[0-9]+')"), "[\"1\", \"22\"]");
  EXPECT_EQ(Eval("'%s has %d'.format(['x', 3])"), "\"x has 3\"");
  EXPECT_EQ(Eval("sets.contains([1, 2], [2])"), "true");
  EXPECT_EQ(Eval("[3, 1, 2].sortBy(x, -x)"), "[3, 2, 1]");
  EXPECT_EQ(Eval("{'a': 1}.transformMap(k, v, v + 1)"), "{\"a\": 2}");
}

TEST(Cel, DocumentsAreViews) {
  Environment env(EnvironmentOptions::Kubernetes(36));
  env.DeclareVariable("self", DynType());
  const value::Value document =
      *value::ParseJson(R"({"spec":{"replicas":3,"items":[{"name":"a"},{"name":"b"}]}})");
  const Activation activation = [&](std::string_view) -> std::optional<Val> {
    return FromTree(document);
  };
  const auto eval = [&](const std::string& text) {
    const Val v = env.Compile(text)->Evaluate(activation).value;
    return v.is_error() ? std::string(v.message()) : FormatLiteral(v);
  };
  EXPECT_EQ(eval("self.spec.replicas > 2 && has(self.spec.items)"), "true");
  EXPECT_EQ(eval("self.spec.items.map(i, i.name)"), "[\"a\", \"b\"]");
  EXPECT_EQ(eval("has(self.status)"), "false");
  EXPECT_EQ(eval("self.?status.?phase.orValue('none')"), "\"none\"");
}

// A list that a loop builds is added to in place: its time is linear in its length.
TEST(Cel, LongLoopsAreLinear) {
  std::string list = "[";
  for (int i = 0; i < 30'000; ++i) list += "1,";
  list += "]";
  EXPECT_EQ(Eval(list + ".map(x, x + 1).size()"), "30000");
  EXPECT_EQ(Eval(list + ".transformList(i, x, i).size()"), "30000");
}

}  // namespace
}  // namespace ksim::cel
