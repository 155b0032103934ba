// cel-spec's conformance tests, as many as Kubernetes' environments admit: conformance.jsonl, which
// convert_conformance.py makes. A test passes if value, type or error are right; that an error has
// cel-spec's words is not asked, since cel-go's are others.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "ksim/base/status.h"
#include "ksim/cel/environment.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/json.h"
#include "tests/cel/json_values.h"

namespace ksim::cel {
namespace {

// Where cel-go and Kubernetes' choice of libraries give another answer; why stands beside.
const std::map<std::string, std::string>& Deviations() {
  constexpr char kKeys[] = "cel-go takes the last of equal keys";
  constexpr char kPresence[] = "Kubernetes does not set EnableErrorOnBadPresenceTest";
  constexpr char kFormat[] = "Kubernetes has version 2 of the strings library";
  constexpr char kIndex[] = "cel-go 0.26 finds nothing beyond the end";
  constexpr char kNull[] = "cel-go joins null and an optional to null";
  static const std::map<std::string, std::string> kDeviations = {
      {"fields/qualified_identifier_resolution/map_value_repeat_key", kKeys},
      {"fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous", kKeys},
      {"optionals/optionals/map_null_entry_no_such_key", kPresence},
      {"optionals/optionals/map_present_key_invalid_field", kPresence},
      {"string_ext/format/scientific notation formatting clause", kFormat},
      {"string_ext/format/default precision for scientific notation", kFormat},
      {"string_ext/format/positive infinity support for scientific notation", kFormat},
      {"string_ext/format/negative infinity support for scientific notation", kFormat},
      {"string_ext/format/NaN support for decimal", kFormat},
      {"string_ext/format/positive infinity support for decimal", kFormat},
      {"string_ext/format/negative infinity support for decimal", kFormat},
      {"string_ext/format/positive infinity support for fixed-point", kFormat},
      {"string_ext/format/negative infinity support for fixed-point", kFormat},
      {"string_ext/format/list support for string", kFormat},
      {"string_ext/format/map support for string", kFormat},
      {"string_ext/format/map support (all key types)", kFormat},
      {"string_ext/format/dyntype support for scientific notation", kFormat},
      {"string_ext/format/dyntype NaN/infinity support", kFormat},
      {"string_ext/format/dyntype support for lists", kFormat},
      {"string_ext/format/dyntype support for maps", kFormat},
      {"string_ext/format/scientific notation formatting clause in a string variable", kFormat},
      {"string_ext/value_errors/indexof_out_of_range", kIndex},
      {"string_ext/value_errors/lastindexof_out_of_range", kIndex},
      {"type_deduction/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate",
       kNull},
  };
  return kDeviations;
}

EnvironmentOptions AllLibraries() {
  EnvironmentOptions o = EnvironmentOptions::Kubernetes(36);
  o.parser.bind_macro = true;
  o.parser.escaped_identifiers = true;
  o.homogeneous_literals = false;
  o.validators = false;
  o.strings = 3;
  return o;
}

bool SameValue(const Val& a, const Val& b) {
  if (a.is_double() && b.is_double() && std::isnan(a.AsDouble())) return std::isnan(b.AsDouble());
  if (a.is_list() && b.is_list() && a.list().size() == b.list().size()) {
    for (std::size_t i = 0; i < a.list().size(); ++i) {
      if (!SameValue(a.list().at(i), b.list().at(i))) return false;
    }
    return true;
  }
  return a.kind() == b.kind() && IsEqual(a, b);
}

// Empty if the test passes.
std::string RunTest(const value::Value& test) {
  Environment env(AllLibraries());
  for (const value::Value::Member& m : test.Get("env").members()) {
    env.DeclareVariable(m.name.text(), ParseType(m.value.AsString()));
  }
  std::map<std::string, Val, std::less<>> bindings;
  for (const value::Value::Member& m : test.Get("bindings").members()) {
    bindings[std::string(m.name.text())] = ValueOf(m.value);
    if (!test.Get("env").Has(m.name.text())) env.DeclareVariable(m.name.text(), DynType());
  }
  const absl::StatusOr<Program> program = env.Compile(test.Get("expr").AsString());
  const bool wants_error = test.Has("error");
  if (!program.ok()) return wants_error ? "" : std::string(Message(program.status()));
  if (test.Has("type")) {
    const TypePtr wanted = ParseType(test.Get("type").AsString());
    if (!SameType(*program->type(), *wanted)) {
      return "type " + program->type()->ToString() + ", not " + wanted->ToString();
    }
  }
  if (!wants_error && !test.Has("value")) return "";
  const Activation activation = [&bindings](std::string_view name) -> std::optional<Val> {
    const auto found = bindings.find(name);
    if (found == bindings.end()) return std::nullopt;
    return found->second;
  };
  const Val v = program->Evaluate(activation).value;
  if (wants_error) return v.is_error() ? "" : "gives " + FormatLiteral(v) + ", not an error";
  const Val wanted = ValueOf(test.Get("value"));
  if (SameValue(v, wanted)) return "";
  return "gives " + FormatLiteral(v) + ", not " + FormatLiteral(wanted);
}

TEST(Conformance, FilesOfCelSpec) {
  std::ifstream file("tests/cel/conformance.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));  // where it is from
  int passed = 0;
  int failed = 0;
  std::map<std::string, int> skipped;
  while (std::getline(file, line)) {
    const value::Value test = *value::ParseJson(line);
    const std::string name(test.Get("name").AsString());
    if (test.Has("skip")) {
      ++skipped[std::string(test.Get("skip").AsString())];
      continue;
    }
    const auto deviation = Deviations().find(name);
    const std::string problem = RunTest(test);
    if (deviation != Deviations().end()) {
      EXPECT_NE(problem, "") << name << " passes, no deviation any more";
      ++skipped[deviation->second];
    } else if (problem.empty()) {
      ++passed;
    } else {
      ++failed;
      ADD_FAILURE() << name << ": " << test.Get("expr").AsString() << "\n  " << problem;
    }
  }
  std::string reasons;
  for (const auto& [reason, count] : skipped)
    reasons += "\n  " + std::to_string(count) + " " + reason;
  std::printf("%d passed, %d failed; skipped:%s\n", passed, failed, reasons.c_str());
  EXPECT_GT(passed, 1000);
}

}  // namespace
}  // namespace ksim::cel
