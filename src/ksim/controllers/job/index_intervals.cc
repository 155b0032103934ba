#include "ksim/controllers/job/index_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace ksim::controllers {
namespace {

std::optional<std::int64_t> IndexFrom(std::string_view text) {
  std::int64_t index = 0;
  if (text.starts_with('+')) text.remove_prefix(1);  // as strconv.Atoi
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return index;
}

}  // namespace

IndexIntervals IndexIntervals::Parse(std::string_view text, std::int64_t completions) {
  IndexIntervals result;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t dash = part.find('-');
    const std::optional<std::int64_t> first = IndexFrom(part.substr(0, dash));
    if (!first) continue;
    if (*first >= completions) break;
    Interval interval{*first, *first};
    if (dash != part.npos) {
      std::string_view rest = part.substr(dash + 1);
      rest = rest.substr(0, rest.find('-'));
      const std::optional<std::int64_t> last = IndexFrom(rest);
      if (!last) continue;
      interval.last = std::min(*last, completions - 1);
    }
    std::vector<Interval>& all = result.intervals_;
    if (!all.empty() && all.back().last == interval.first - 1) {
      all.back().last = interval.last;
    } else {
      all.push_back(interval);
    }
  }
  return result;
}

void IndexIntervals::Extend(const Interval& next) {
  if (intervals_.empty() || next.first > intervals_.back().last + 1) {
    intervals_.push_back(next);
  } else {
    intervals_.back().last = std::max(intervals_.back().last, next.last);
  }
}

IndexIntervals IndexIntervals::Merge(const IndexIntervals& more) const {
  IndexIntervals result;
  auto a = intervals_.begin();
  auto b = more.intervals_.begin();
  while (a != intervals_.end() || b != more.intervals_.end()) {
    const bool take_a =
        b == more.intervals_.end() || (a != intervals_.end() && a->first < b->first);
    result.Extend(take_a ? *a++ : *b++);
  }
  return result;
}

IndexIntervals IndexIntervals::With(const IndexSet& indexes) const {
  IndexIntervals more;
  for (const std::int64_t index : indexes) more.intervals_.push_back({index, index});
  return Merge(more);
}

bool IndexIntervals::Has(std::int64_t index) const {
  return std::any_of(intervals_.begin(), intervals_.end(), [index](const Interval& interval) {
    return interval.first <= index && index <= interval.last;
  });
}

std::int64_t IndexIntervals::Total() const {
  std::int64_t total = 0;
  for (const Interval& interval : intervals_) total += interval.last - interval.first + 1;
  return total;
}

std::string IndexIntervals::ToString() const {
  std::string text;
  for (const Interval& interval : intervals_) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}", interval.first);
    if (interval.last > interval.first)
      text += fmt::format("{}{}", interval.last == interval.first + 1 ? ',' : '-', interval.last);
  }
  return text;
}

}  // namespace ksim::controllers
