#include "ksim/scenario/invariants/invariant_file.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/parse.h"

namespace ksim::scenario {
namespace {

constexpr std::int64_t kLargestInvariantFile = 1 << 20;

Diagnostic ErrorOf(const std::string& path, std::string message, std::string hint = "") {
  Diagnostic d;
  d.file = path;
  d.message = std::move(message);
  d.hint = std::move(hint);
  return d;
}

InvariantFile OfScenario(const std::string& path) {
  InvariantFile out;
  Loaded loaded = Load({path}, LoadOptions());
  out.errors = std::move(loaded.errors);
  if (!loaded.scenarios.empty()) out.invariants = std::move(loaded.scenarios.front().invariants);
  return out;
}

}  // namespace

InvariantFile ReadInvariantFile(const std::string& path, const value::Value& scenario) {
  InvariantFile out;
  const absl::StatusOr<std::string> text = os::ReadFile(path, kLargestInvariantFile);
  if (!text.ok()) {
    out.errors.push_back(ErrorOf(path, fmt::format("cannot read it: {}", Message(text.status()))));
    return out;
  }
  const auto file = std::make_shared<value::YamlFile>(value::ParseYaml(*text, path));
  out.errors = file->errors;
  if (!out.errors.empty()) return out;
  if (!file->documents.empty() && file->documents[0].Find("kind") != nullptr)
    return OfScenario(path);
  if (file->documents.size() != 1 || file->documents[0].Find("invariants") == nullptr) {
    out.errors.push_back(ErrorOf(path, "there are no invariants in it",
                                 "begin it with \"invariants:\", or give a Scenario"));
    return out;
  }
  api::Kinds kinds;
  const Loaded ran = ParseScenarioTree(scenario);
  if (ran.errors.empty() && !ran.scenarios.empty()) LearnKinds(kinds, ran.scenarios.front());
  Problems problems(*file);
  ParseContext context(file, problems, kinds);
  MappingReader reader(problems, file->documents[0], InvariantFileType(), "");
  out.invariants = ParseInvariants(context, reader);
  out.errors = std::move(problems.errors);
  return out;
}

}  // namespace ksim::scenario
