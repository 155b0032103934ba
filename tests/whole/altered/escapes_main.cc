// escapes FROM TO EDITS [field|event]: draws the traces of these numbers and EDITS edits of each,
// and prints those that `ksim check` does not see, then for each field how many of how many. A
// trace that is told to contradict itself before any edit is printed as an alarm. The table of
// docs/traces.md is written from the output.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ksim/check/trace_law.h"
#include "ksim/check/verdict.h"
#include "tests/whole/altered/alterations.h"
#include "tests/whole/altered/drawn_trace.h"

namespace ksim::altered {
namespace {

// All that check says of a file; nullopt if it refuses it.
std::optional<std::set<std::string>> Said(const std::string& file) {
  const auto trace = trace::ParseTrace(file);
  if (!trace.ok()) return std::nullopt;
  const auto checker = check::CheckTrace(*trace, {"*"});
  if (!checker.ok()) return std::nullopt;
  std::set<std::string> out;
  for (const check::Verdict& v : check::VerdictsOf(**checker, *trace))
    for (const check::Finding& f : v.findings)
      out.insert(fmt::format("{}: {}", f.violation.oracle, f.violation.message));
  return out;
}

std::uint64_t Number(const char* text) { return std::strtoull(text, nullptr, 10); }

int Main(int argc, char** argv) {
  if (argc < 4) return 2;
  const bool events = argc > 4 && std::string(argv[4]) == "event";
  std::map<std::string, std::pair<int, int>> count;  // field -> escaped, drawn
  for (std::uint64_t i = Number(argv[1]); i <= Number(argv[2]); ++i) {
    Dice dice(i);
    const DrawnTrace drawn = DrawTrace(dice);
    const auto before = Said(trace::FormatTrace(drawn.trace, true));
    for (const std::string& what : *before)
      if (what.starts_with(check::kTraceConsistent))
        fmt::print("alarm {} {}: {}\n", i, drawn.about, what);
    for (std::uint64_t n = 0; n < Number(argv[3]); ++n) {
      const Edit edit = events ? EditOneEvent(drawn.trace, drawn.binary, dice)
                               : EditOneField(drawn.trace, drawn.binary, dice);
      ++count[edit.name].second;
      if (Said(edit.file) != before) continue;
      ++count[edit.name].first;
      fmt::print("escaped {} {}: {}\n", i, drawn.about, edit.text);
    }
  }
  for (const auto& [name, n] : count) fmt::print("field {}: {} of {}\n", name, n.first, n.second);
  return 0;
}

}  // namespace
}  // namespace ksim::altered

int main(int argc, char** argv) { return ksim::altered::Main(argc, argv); }
