#include "ksim/cli/story/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ksim/base/paint.h"
#include "ksim/base/time.h"
#include "ksim/cli/story/story_faults.h"
#include "ksim/cli/story/story_status.h"
#include "ksim/cli/story/story_steps.h"
#include "ksim/cli/story/story_text.h"

namespace ksim::cli {
namespace {

using sim::EventKind;
using trace::Record;

// "+1.422s"
std::string Milliseconds(std::int64_t ns) {
  const std::int64_t ms = ns / 1'000'000;
  return fmt::format("+{}.{:03}s", ms / 1000, ms % 1000);
}

class Story {
 public:
  Story(const StoryEvents& run, const api::Kinds& kinds, bool color,
        const std::vector<LoggedText>& log)
      : run_(run),
        events_(run.Records()),
        status_(events_),
        steps_(events_, run.bookmarks_of_kubelets(), status_),
        text_(events_, kinds, status_),
        faults_(events_, run),
        color_(color),
        log_(log) {}

  std::string Render() {
    FindWorkload();
    AddWatches();
    MarkCauses();
    for (std::size_t i = workload_; i < events_.size(); ++i) {
      AddLogUntil(events_[i].seq + 1);
      AddEvent(events_[i]);
    }
    AddLogUntil(run_.last_seq() + 1);
    return std::move(out_);
  }

 private:
  void FindWorkload() {
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (events_[i].kind == EventKind::kPhase && events_[i].Text("name") == "workload")
        workload_ = i;
  }

  // Adds what the process logged before the event `seq`.
  void AddLogUntil(std::uint64_t seq) {
    for (; logged_ < log_.size() && log_[logged_].seq < seq; ++logged_)
      out_ += Paint(color_, "2", log_[logged_].text);
  }

  // The names, or how many they are where nobody would read them.
  static std::string Few(const std::vector<std::string>& sorted) {
    constexpr std::size_t kRead = 8;
    if (sorted.size() <= kRead) return fmt::format("{}", fmt::join(sorted, ", "));
    return fmt::format("{} resources, from {} to {}", sorted.size(), sorted.front(), sorted.back());
  }

  // Adds a line for each process before the workload, with the resources that it watches.
  void AddWatches() {
    std::map<std::string, std::vector<std::string>> resources;
    std::map<std::string, const Record*> last;
    for (std::size_t i = 0; i < workload_; ++i) {
      const Record& r = events_[i];
      if (r.kind != EventKind::kWatch || r.Text("state") != "open") continue;
      const std::string client(r.Text("client"));
      if (r.Text("server") != "etcd") resources[client].emplace_back(r.Text("resource"));
      if (r.Text("server") == "etcd") resources[client];
      last[client] = &r;
    }
    std::vector<std::pair<const Record*, std::string>> lines;
    for (const auto& [client, record] : last) {
      std::vector<std::string>& list = resources[client];
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      lines.emplace_back(record, "watches " + (list.empty() ? "everything in etcd" : Few(list)));
    }
    std::sort(lines.begin(), lines.end(),
              [](const auto& a, const auto& b) { return a.first->seq < b.first->seq; });
    for (const auto& [record, what] : lines)
      AddLine(*record, StorySteps::kWatches, std::string(record->Text("client")), what, false);
  }

  // A notification gets a line only if it led to an event that gets one.
  void MarkCauses() {
    if (events_.empty()) return;
    std::size_t i = events_.size();
    const std::uint64_t first = events_[workload_].seq;
    for (std::uint64_t seq = run_.last_seq(); seq >= first; --seq) {
      const bool kept = i > 0 && events_[i - 1].seq == seq;
      if (kept) --i;
      const bool root = (kept && text_.IsAct(events_[i])) || causes_.count(seq) != 0;
      const std::uint64_t cause = run_.CauseOf(seq);
      if (root && cause != 0) causes_.insert(cause);
    }
  }

  void AddEvent(const Record& r) {
    if (r.kind == EventKind::kStep) return AddStep(r);
    if (const std::uint64_t told = faults_.ToldAt(r); told != 0) {
      shown_as_[r.seq] = told;
      return;
    }
    if (const std::string what = faults_.Describe(r); !what.empty())
      return AddLine(r, 0, r.actor, what, true);
    if (r.kind == EventKind::kEvent) return AddNotification(r);
    if (r.kind == EventKind::kHandler && causes_.count(r.seq) == 0) return;
    const std::string text = text_.Describe(r);
    if (!text.empty()) AddLine(r, steps_.Of(r), r.actor, text, true);
  }

  void AddStep(const Record& r) {
    if (r.Text("state") == "begin")
      out_ += Paint(color_, "1", fmt::format("\n$ {}", text_.CommandLine(r))) + "\n";
    else if (!r.Text("result").empty())
      out_ += fmt::format("{}\n", Indent(r.Text("result"), "  "));
  }

  // Adds one line for all clients to which a server sends one version of an object.
  void AddNotification(const Record& r) {
    const std::string key = text_.NotificationKey(r);
    if (key.empty() || !shown_notifications_.insert(key).second) return;
    const std::vector<const Record*>& all = text_.Notifications(key);
    const bool mattered = std::any_of(
        all.begin(), all.end(), [this](const Record* n) { return causes_.count(n->seq) != 0; });
    std::vector<const Record*> lost;
    for (const Record* n : all)
      if (faults_.IsLost(*n)) lost.push_back(n);
    if (!mattered && lost.empty()) return;
    std::string text = text_.DescribeNotification(r, all);
    if (!lost.empty()) text += fmt::format(" (LOST on its way to {})", text_.Watchers(lost));
    for (const Record* n : all) shown_as_[n->seq] = r.seq;
    AddLine(r, steps_.Of(r), r.actor, text, true);
  }

  // The nearest cause that has a line; 0 for none.
  std::uint64_t NearestShownCause(const Record& r) const {
    std::uint64_t seq = r.cause;
    while (seq != 0) {
      const auto it = shown_as_.find(seq);
      if (it != shown_as_.end()) return it->second;
      seq = run_.CauseOf(seq);
    }
    return 0;
  }

  void AddLine(const Record& r, int step, const std::string& who, const std::string& text,
               bool with_why) {
    const bool numbered = step > 0 && step <= StorySteps::kNumbered;
    const std::string number = numbered ? fmt::format("{}", step) : "";
    if (step > 0 && shown_headings_.insert(step).second)
      out_ += Paint(color_, "1;36",
                    fmt::format("{:>2}{} {}", number, numbered ? "." : " ",
                                StorySteps::Heading(step))) +
              "\n";
    shown_as_[r.seq] = r.seq;
    const std::uint64_t why = with_why ? NearestShownCause(r) : 0;
    std::string line =
        fmt::format("{:>5} {:>9}  #{:<5} {:<35} {}", number, Milliseconds(r.t), r.seq, who, text);
    if (why != 0) line += Paint(color_, "2", fmt::format("  <- #{}", why));
    out_ += line + "\n";
  }

  const StoryEvents& run_;
  const std::vector<Record> events_;
  StoryStatus status_;
  StorySteps steps_;
  StoryText text_;
  StoryFaults faults_;
  bool color_;
  const std::vector<LoggedText>& log_;
  std::size_t logged_ = 0;
  std::string out_;
  std::size_t workload_ = 0;
  std::set<int> shown_headings_;
  std::set<std::string> shown_notifications_;
  std::set<std::uint64_t> causes_;
  std::map<std::uint64_t, std::uint64_t> shown_as_;
};

}  // namespace

std::string RenderStory(const StoryEvents& events, const api::Kinds& kinds, bool color,
                        const std::vector<LoggedText>& log) {
  return Story(events, kinds, color, log).Render();
}

}  // namespace ksim::cli
