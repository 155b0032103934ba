// Evaluates expressions for the comparison with cel-go (tests/cel/go): one JSON text with an
// expression a line in, one line out: "value TEXT COST" or "error TEXT COST", or "compile TEXT".
//
//   cel_evaluate MINOR < expressions > answers
#include <cstdio>
#include <iostream>
#include <string>

#include "ksim/base/status.h"
#include "ksim/cel/environment.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/json.h"

namespace {

using ksim::cel::Val;

// Names that the drawn expressions know, with one document each.
constexpr char kDocument[] =
    R"({"i":7,"d":2.5,"s":"h\u00e9llo w","b":true,"n":null,"l":[1,2,3,2],"ls":["a","b","a.b"],)"
    R"("m":{"a":1,"b":{"c":[true,false]},"k-1":"v"},"e":[],"lm":[{"x":1},{"x":2,"y":"z"}]})";

std::string Line(const char* kind, const std::string& text, std::uint64_t cost) {
  std::string line = kind;
  line += " ";
  ksim::value::AppendJsonString(text, &line);
  return line + " " + std::to_string(cost);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ksim::cel::Environment env(ksim::cel::EnvironmentOptions::Kubernetes(std::stoi(argv[1])));
  const ksim::value::Value document = *ksim::value::ParseJson(kDocument);
  env.DeclareVariable("o", ksim::cel::DynType());
  env.DeclareVariable("i", ksim::cel::IntType());
  env.DeclareVariable("s", ksim::cel::StringType());
  env.DeclareVariable("l", ksim::cel::ParseType("list(int)"));
  env.DeclareVariable("ls", ksim::cel::ParseType("list(string)"));
  env.DeclareVariable("m", ksim::cel::ParseType("map(string, dyn)"));
  const ksim::cel::Activation activation = [&](std::string_view name) -> std::optional<Val> {
    if (name == "o") return ksim::cel::FromTree(document);
    return ksim::cel::FromTree(document.Get(name));
  };
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::string expression(ksim::value::ParseJson(line)->AsString());
    const absl::StatusOr<ksim::cel::Program> program = env.Compile(expression);
    if (!program.ok()) {
      std::puts(Line("compile", std::string(ksim::Message(program.status())), 0).c_str());
      continue;
    }
    const ksim::cel::Evaluation e = program->Evaluate(activation);
    const bool error = e.value.is_error();
    const std::string text =
        error ? std::string(e.value.message()) : ksim::cel::FormatLiteral(e.value);
    std::puts(Line(error ? "error" : "value", text, e.cost).c_str());
  }
  return 0;
}
