#include "ksim/check/process_clocks.h"

#include <algorithm>

#include "ksim/base/time.h"
#include "ksim/fault/clock_rate.h"
#include "ksim/value/value.h"

namespace ksim::check {
namespace {

// A clock that rounds down may show so much more than this span alone gives it.
constexpr std::int64_t kRounding = 1;

}  // namespace

std::int64_t ProcessClocks::Span::PassedIn(std::int64_t time) const {
  return text.empty() ? time : rate.Passed(Duration(time)).ns() + kRounding;
}

void ProcessClocks::Take(std::string_view verb, std::string_view target, std::string_view id,
                         std::string_view state, std::int64_t t, const value::Value* args) {
  if (verb != "skewClock") return;
  if (state == "begin") {
    const std::string text(args == nullptr ? "" : args->Get("rate").AsString());
    const auto rate = fault::ParseClockRate(text);
    if (!rate) return;
    clocks_[std::string(target)].rates.push_back({std::string(id), text, *rate});
  } else if (state != "end" || clocks_.empty()) {
    return;
  }
  const auto found = clocks_.find(target);
  if (found == clocks_.end()) return;
  Clock& clock = found->second;
  if (state == "end") std::erase_if(clock.rates, [id](const Rate& r) { return r.id == id; });
  Span span;
  span.since = t;
  if (!clock.rates.empty()) {
    span.text = clock.rates.back().text;
    span.rate = clock.rates.back().rate;
  }
  clock.spans.push_back(std::move(span));
}

const ProcessClocks::Clock* ProcessClocks::Find(std::string_view process) const {
  if (clocks_.empty()) return nullptr;
  const auto it = clocks_.find(process);
  return it == clocks_.end() ? nullptr : &it->second;
}

// Calls f(begin, end, span) for each piece of the time in which one rate held, in order, until f
// returns false. Before the first span the clock was true.
template <class F>
void ProcessClocks::ForEachPiece(const Clock& clock, std::int64_t from, std::int64_t to, F f) {
  static const Span kTrue;
  for (std::size_t i = 0; i <= clock.spans.size(); ++i) {
    const Span& span = i == 0 ? kTrue : clock.spans[i - 1];
    const std::int64_t begin = i == 0 ? from : std::max(from, span.since);
    const std::int64_t end = i < clock.spans.size() ? std::min(to, clock.spans[i].since) : to;
    if (begin < end && !f(begin, end, span)) return;
  }
}

std::int64_t ProcessClocks::Passed(std::string_view process, std::int64_t from,
                                   std::int64_t to) const {
  const Clock* const clock = Find(process);
  if (clock == nullptr || from >= to) return to - from;
  std::int64_t passed = 0;
  ForEachPiece(*clock, from, to, [&](std::int64_t begin, std::int64_t end, const Span& span) {
    passed += span.PassedIn(end - begin);
    return true;
  });
  return passed;
}

std::int64_t ProcessClocks::MostPassed(std::int64_t from, std::int64_t to) const {
  std::int64_t most = to - from;
  for (const auto& [process, clock] : clocks_) most = std::max(most, Passed(process, from, to));
  return most;
}

std::int64_t ProcessClocks::When(std::string_view process, std::int64_t from,
                                 std::int64_t passed) const {
  const Clock* const clock = Find(process);
  if (clock == nullptr) return from + passed;
  std::int64_t at = from, left = passed;
  const std::int64_t never = Duration::Max().ns();
  ForEachPiece(*clock, from, never, [&](std::int64_t begin, std::int64_t end, const Span& span) {
    const std::int64_t here = span.rate.Passed(Duration(end - begin)).ns();
    at = here < left ? end : begin + span.rate.Until(Duration(left)).ns();
    left -= std::min(here, left);
    return left > 0;
  });
  return at;
}

std::string_view ProcessClocks::RateIn(std::string_view process, std::int64_t from,
                                       std::int64_t to) const {
  const Clock* const clock = Find(process);
  std::string_view last;
  if (clock == nullptr) return last;
  ForEachPiece(*clock, from, to, [&](std::int64_t, std::int64_t, const Span& span) {
    if (!span.text.empty()) last = span.text;
    return true;
  });
  return last;
}

}  // namespace ksim::check
