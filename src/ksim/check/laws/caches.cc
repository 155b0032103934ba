// CacheLaw of laws/register.h: a relist says what its answers said, and a cache holds what was
// there at its revision.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>

#include "ksim/check/collection.h"
#include "ksim/check/laws/register.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

std::uint64_t HashIn(const Record& r) {
  const std::string_view text = r.Text("itemsHash");
  std::uint64_t h = 0;
  std::from_chars(text.data(), text.data() + text.size(), h, 16);
  return h;
}

class Caches : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    JudgeEnding(r);
    if (r.kind == Kind::kActor && r.Text("state") != "lead" && r.Text("state") != "lose")
      return Forget(r.Text("process"));
    if (r.kind == Kind::kFault) return TakeStall(r);
    if (r.kind == Kind::kRelist) return JudgeRelist(ledger, r);
    if (r.kind == Kind::kCache) return JudgeCache(ledger, r);
    if (r.kind != Kind::kDeliver || IsOfEtcd(r)) return;
    if (r.Text("type") == "ERROR" || IsOfAStreamedList(ledger, r)) return;
    const std::string informer = fmt::format("{} {}", r.actor, r.Text("resource"));
    told_[informer].insert(r.Int("rv"));
    last_told_[informer] = r.Int("rv");
  }

 private:
  void Forget(std::string_view process) {
    const auto of_process = [process](const auto& entry) {
      return std::string_view(entry.first).substr(0, entry.first.rfind(' ')) == process;
    };
    std::erase_if(listed_, of_process);
    std::erase_if(told_, of_process);
    std::erase_if(last_told_, of_process);
  }

  // Objects of a list that comes as a watch are taken in at its end, with the relist.
  bool IsOfAStreamedList(const Ledger& ledger, const Record& r) {
    const std::int64_t stream = r.Int("stream");
    const Wire* wire = ledger.Stream(stream);
    const bool streams =
        wire != nullptr && wire->open != nullptr &&
        wire->open->Text("options").find("sendInitialEvents=true") != std::string_view::npos;
    if (!streams || listed_streams_.contains(stream)) return false;
    if (r.Get("initialEnd").AsBool()) listed_streams_.insert(stream);
    return true;
  }

  void TakeStall(const Record& r) {
    if ((r.Text("verb") != "stallHandler" && r.Text("verb") != "slowHandler") ||
        r.Text("state") == "skipped")
      return;
    stalls_[std::string(r.Get("args").Get("actor").AsString())] = r.seq;
    if (r.Text("state") == "begin") stalled_[std::string(r.Text("id"))] = r.Get("args");
    if (r.Text("state") == "end") stalled_.erase(std::string(r.Text("id")));
  }

  // Whether a fault keeps the process from taking in what its informers have been told, or did so
  // since the list: then a cache may hold some of a list and some of what came later.
  bool IsBehind(const Record& r, const Record& relist) const {
    const auto last = stalls_.find(r.actor);
    if (last != stalls_.end() && last->second > relist.seq) return true;
    return std::any_of(stalled_.begin(), stalled_.end(), [&r](const auto& fault) {
      return fault.second.Get("actor").AsString() == r.actor;
    });
  }

  // When the run ends all caches are looked at, and what is found is told.
  void JudgeEnding(const Record& r) {
    const bool look = r.kind == Kind::kCache && r.cause == 0;
    if (ending_ && !look && r.kind != Kind::kViolation && r.kind != Kind::kPhase)
      Contradict(r, "the run went on after the caches of its end");
    ending_ = ending_ || look;
  }

  // --- relist ---

  void JudgeRelist(const Ledger& ledger, const Record& r) {
    // A kubelet has a reflector for each object that its pods name, PROCESS RESOURCE/NS/NAME, and
    // forgets it with the pods.
    const std::string whole = fmt::format("{} {}", r.actor, r.Text("resource"));
    const bool of_object = r.Text("informer").starts_with(whole + "/");
    if (!of_object) Same(r, "the informer", r.Text("informer"), whole);
    const Asked* last = JudgeRequests(ledger, r);
    const auto before = listed_.find(r.Text("informer"));
    const bool first = before == listed_.end() || (of_object && r.Text("reason") == "start");
    // A first list may have been refused before, as too large; nothing can have broken.
    const bool broke = r.Text("reason") == "expired" || (!of_object && r.Text("reason") == "error");
    if (first ? broke : r.Text("reason") == "start")
      Contradict(r, fmt::format("reason \"{}\" of the {}", r.Text("reason"),
                                first ? "informer's first list" : "list after another"));
    if (last != nullptr) {
      Same(r, "rv", r.Text("rv"), last->request->Get("params").Get("resourceVersion").AsString());
      last->request->Text("verb") == "watch" ? JudgeStreamed(ledger, r, *last)
                                             : JudgeListed(ledger, r, *last);
    }
    listed_[std::string(r.Text("informer"))] = &r;
    told_[std::string(r.Text("informer"))].insert(r.Int("gotRv"));
    last_told_[std::string(r.Text("informer"))] = r.Int("gotRv");
  }

  // The requests are those that the reflector has sent, in their order. Returns the last.
  const Asked* JudgeRequests(const Ledger& ledger, const Record& r) {
    const Asked* last = nullptr;
    std::int64_t before = 0;
    for (const Value& id : r.Get("requests").items()) {
      last = ledger.Request(id.AsInt());
      const bool own =
          last != nullptr && last->request->actor == r.actor &&
          last->request->Text("resource") == r.Text("resource") &&
          (last->request->Text("verb") == "list" || last->request->Text("verb") == "watch");
      if (!own || id.AsInt() <= before)
        Contradict(r, fmt::format("request {} is no list of this reflector after request {}",
                                  id.AsInt(), before));
      before = id.AsInt();
    }
    if (last == nullptr) Contradict(r, "a relist without a request");
    return last;
  }

  void JudgeListed(const Ledger& ledger, const Record& r, const Asked& last) {
    if (last.response == nullptr || !Succeeded(*last.response))
      return Contradict(
          r, fmt::format("request {} was not answered with a list", last.request->Int("id")));
    const Record& answer = *last.response;
    Same(r, "the relist's cause", static_cast<std::int64_t>(r.cause),
         static_cast<std::int64_t>(answer.seq));
    Same(r, "the time", r.t, answer.t);
    Same(r, "gotRv", r.Int("gotRv"), answer.Int("rv"));
    if (last.request->Get("params").Has("continue")) return JudgePages(ledger, r);
    Same(r, "items", r.Int("items"), answer.Int("items"));
    Same(r, "itemsHash", r.Text("itemsHash"), answer.Text("itemsHash"));
  }

  void JudgePages(const Ledger& ledger, const Record& r) {
    std::int64_t items = 0;
    for (const Value& id : r.Get("requests").items()) {
      const Asked* page = ledger.Request(id.AsInt());
      if (page == nullptr || page->response == nullptr || !Succeeded(*page->response)) continue;
      if (!page->request->Get("params").Has("continue")) items = 0;
      items += page->response->Int("items");
    }
    Same(r, "items", r.Int("items"), items);
  }

  // A list that came as a watch ends with the bookmark of its initial state; the reflector of the
  // variant takes a part for all of it.
  void JudgeStreamed(const Ledger& ledger, const Record& r, const Asked& last) {
    if (ledger.Variant("reflector.initialEventsRV") == "lastEvent") return;
    const Record* end = ledger.CauseOf(r);
    if (end == nullptr || end->kind != Kind::kDeliver || !end->Get("initialEnd").AsBool())
      return Contradict(r, "no initial state has ended");
    Same(r, "the time", r.t, end->t);
    Same(r, "gotRv", r.Int("gotRv"), end->Int("rv"));
    const Wire* wire = ledger.Stream(end->Int("stream"));
    if (wire != nullptr && wire->open != nullptr)
      Same(r, "the request", wire->open->Int("request"), last.request->Int("id"));
  }

  // --- cache ---

  void JudgeCache(const Ledger& ledger, const Record& r) {
    const std::string_view informer = r.Text("informer");
    Same(r, "the informer's process", informer.substr(0, informer.rfind(' ')), r.actor);
    const auto listed = listed_.find(informer);
    if (listed == listed_.end()) return JudgeUnlisted(r);
    const Record& relist = *listed->second;
    const Record* cause = ledger.CauseOf(r);
    JudgeTime(ledger, r, cause);
    JudgeHeard(ledger, r);
    if (cause != nullptr && cause->kind == Kind::kRelist) {
      Same(r, "the informer", informer, cause->Text("informer"));
      if (r.Int("rv") < cause->Int("gotRv"))
        Contradict(r,
                   fmt::format("rv {}, but the list was at {}", r.Int("rv"), cause->Int("gotRv")));
    }
    if (r.Int("rv") > ledger.revision())
      Contradict(r, fmt::format("rv {}, but the store is at {}", r.Int("rv"), ledger.revision()));
    // A variant that is wrong on purpose may hold anything.
    if (!ledger.trace().header.scenario.Get("spec").Get("cluster").Get("variants").empty()) return;
    if (IsBehind(r, relist)) return;
    const bool of_list = cause != nullptr && cause->kind == Kind::kRelist;
    Same(r, "rv, beside what the informer was told last,", r.Int("rv"),
         of_list ? cause->Int("gotRv") : last_told_.find(informer)->second);
    JudgeContent(ledger, r, relist);
  }

  // Beside relists, caches are looked at when faults end and when the run does.
  void JudgeTime(const Ledger& ledger, const Record& r, const Record* cause) {
    if (cause != nullptr && cause->kind == Kind::kPhase)
      Same(r, "the time of the heal", r.t, cause->t);
    if (cause == nullptr && ledger.trace().end && ledger.trace().end->result != "interrupted")
      Same(r, "the time of the end", r.t, ledger.trace().end->time);
  }

  // The informer has heard of its revision: by a list, by a watch, or with an object of it.
  void JudgeHeard(const Ledger& ledger, const Record& r) {
    const auto told = told_.find(r.Text("informer"));
    if (told != told_.end() && told->second.contains(r.Int("rv"))) return;
    if (r.Int("rv") == 0 && r.Int("items") == 0) return;  // it has taken nothing in yet
    const std::string_view informer = r.Text("informer");
    const Changes& all = ledger.history().Of(informer.substr(informer.rfind(' ') + 1));
    const std::size_t next = CommitHistory::After(all, r.Int("rv"));
    if (next > 0 && all[next - 1]->revision == r.Int("rv")) return;
    Contradict(r, fmt::format("rv {}, of which the informer has not heard", r.Int("rv")));
  }

  void JudgeUnlisted(const Record& r) {
    Same(r, "items of a cache that was never filled", r.Int("items"), 0);
    Same(r, "rv of a cache that was never filled", r.Int("rv"), 0);
  }

  void JudgeContent(const Ledger& ledger, const Record& r, const Record& relist) {
    const Value& ids = relist.Get("requests");
    const Asked* asked = ids.empty() ? nullptr : ledger.Request(ids.at(ids.size() - 1).AsInt());
    if (asked == nullptr) return;
    const Record& q = *asked->request;
    const Collection collection(q.Text("resource"), q.Text("namespace"), q.Text("name"),
                                q.Get("params").Get("labelSelector").AsString(),
                                q.Get("params").Get("fieldSelector").AsString());
    if (!collection.judgeable()) return;
    const auto content = collection.ContentAt(ledger.history(), r.Int("rv"));
    if (static_cast<std::int64_t>(content.size()) != r.Int("items"))
      return Contradict(r, fmt::format("{} items; at revision {} there were {}", r.Int("items"),
                                       r.Int("rv"), content.size()));
    if (!content.empty() && HashOfContent(content) != HashIn(r))
      Contradict(r, fmt::format("the items are not those of revision {}", r.Int("rv")));
  }

  bool ending_ = false;
  std::set<std::int64_t> listed_streams_;                     // whose initial state has ended
  std::map<std::string, std::uint64_t, std::less<>> stalls_;  // by process: when one began or ended
  std::map<std::string, Value> stalled_;                      // args of those in force, by fault
  std::map<std::string, const Record*, std::less<>> listed_;  // by informer, in its life
  std::map<std::string, std::set<std::int64_t>, std::less<>> told_;  // in the process' life
  std::map<std::string, std::int64_t, std::less<>> last_told_;       // in the process' life
};

}  // namespace

std::unique_ptr<TraceLaw> CacheLaw() { return std::make_unique<Caches>(); }

}  // namespace ksim::check
