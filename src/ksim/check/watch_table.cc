#include "ksim/check/watch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "ksim/check/kubectl_output.h"
#include "ksim/check/watch_verdicts.h"

namespace ksim::check {
namespace {

using Cells = std::vector<std::string_view>;

constexpr std::string_view kMoreToTell = "kubectl prints it with --output-watch-events -o json";

// Columns are two blanks or more apart; a cell may hold single ones, as in "2 (5m ago)".
Cells CellsOf(std::string_view line) {
  Cells out;
  while (true) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return out;
    line.remove_prefix(begin);
    const std::size_t end = line.find("  ");
    out.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end, line.size()));
  }
}

// A place in a row of a table, if the table has such a column.
class Column {
 public:
  Column(const Cells& head, std::string_view name)
      : at_(static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin())),
        known_(at_ < head.size()) {}
  bool known() const { return known_; }
  std::string_view In(const Cells& row) const {
    return known_ && at_ < row.size() ? row[at_] : std::string_view();
  }

 private:
  std::size_t at_;
  bool known_;
};

class TableJudge {
 public:
  void Take(std::string_view line) {
    const Cells cells = CellsOf(line);
    if (cells.empty()) return;
    if (IsTableHead(line)) {
      head_ = cells;
      return;
    }
    ++rows_;
    const Column event(head_, "EVENT"), name(head_, "NAME"), ns(head_, "NAMESPACE");
    if (!event.known() || name.In(cells).empty()) return;
    ++events_;
    const std::string object =
        fmt::format("{}{}{}", ns.In(cells), ns.In(cells).empty() ? "" : "/", name.In(cells));
    TakeEvent(event.In(cells), object, SecondsOfAge(Column(head_, "AGE").In(cells)));
  }

  std::vector<Verdict> Finish() {
    const std::string nothing = "there is no change in it";
    const std::string no_revision = fmt::format("a table has no resourceVersion: {}", kMoreToTell);
    const std::string no_event =
        fmt::format("a table without the column EVENT does not show it: {}", kMoreToTell);
    const std::string why = rows_ == 0 ? nothing : events_ == 0 ? no_event : no_revision;
    verdicts_.CannotJudge("watch.ordered", why);
    verdicts_.CannotJudge("watch.unique", why);
    if (events_ == 0) verdicts_.CannotJudge("watch.reliable", why);
    return verdicts_.Take();
  }

 private:
  struct Told {
    bool there = false;
    std::int64_t age = 0;
  };

  void TakeEvent(std::string_view type, const std::string& object,
                 const std::optional<std::int64_t>& age) {
    const auto told = told_.find(object);
    if (told != told_.end()) JudgePresence(type, object, told->second.there);
    const bool same = told != told_.end() && told->second.there && type != "ADDED";
    if (same && age && *age < told->second.age)
      verdicts_.Violate("watch.ordered", rows_, object,
                        fmt::format("{}: {} at the age of {} s comes after one of {} s", object,
                                    type, *age, told->second.age));
    Told& now = told_[object];
    now.there = type != "DELETED";
    if (age) now.age = *age;
  }

  void JudgePresence(std::string_view type, const std::string& object, bool there) {
    std::string_view what;
    if (type == "ADDED" && there) what = "and it was there: its deletion is missing";
    if (type != "ADDED" && !there) what = "and it was deleted: its creation is missing";
    if (!what.empty())
      verdicts_.Violate("watch.reliable", rows_, object,
                        fmt::format("{}: {}, {}", object, type, what));
  }

  Cells head_;
  std::uint64_t rows_ = 0, events_ = 0;
  std::map<std::string, Told> told_;
  WatchVerdicts verdicts_;
};

}  // namespace

std::optional<std::int64_t> SecondsOfAge(std::string_view text) {
  std::int64_t total = 0, number = 0;
  bool digits = false;
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (number > 1'000'000'000) return std::nullopt;
      number = number * 10 + (c - '0');
      digits = true;
      continue;
    }
    constexpr std::int64_t kDay = 86'400;
    const std::int64_t unit = c == 's'   ? 1
                              : c == 'm' ? 60
                              : c == 'h' ? 3'600
                              : c == 'd' ? kDay
                              : c == 'y' ? 365 * kDay
                                         : 0;
    if (unit == 0 || !digits) return std::nullopt;
    total += number * unit;
    number = 0;
    digits = false;
  }
  return digits ? std::nullopt : std::optional<std::int64_t>(total);
}

std::vector<Verdict> JudgeWatchTable(std::string_view text) {
  TableJudge judge;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    if (line.ends_with('\r')) line.remove_suffix(1);
    judge.Take(line);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return judge.Finish();
}

}  // namespace ksim::check
