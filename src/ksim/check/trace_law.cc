#include "ksim/check/trace_law.h"

#include <fmt/format.h>

namespace ksim::check {

void TraceLaw::Contradict(std::uint64_t seq, std::string_view what) {
  Finding f;
  f.violation.oracle = kTraceConsistent;
  f.violation.message =
      seq == 0 ? fmt::format("the last line: {}", what) : fmt::format("seq {}: {}", seq, what);
  f.violation.first = seq;
  f.seq = seq;
  findings_.push_back(std::move(f));
}

void TraceLaw::Same(const trace::Record& r, std::string_view what, std::string_view is,
                    std::string_view should) {
  if (is != should) Contradict(r, fmt::format("{} is \"{}\", not \"{}\"", what, is, should));
}

void TraceLaw::Same(const trace::Record& r, std::string_view what, std::int64_t is,
                    std::int64_t should) {
  if (is != should) Contradict(r, fmt::format("{} is {}, not {}", what, is, should));
}

}  // namespace ksim::check
