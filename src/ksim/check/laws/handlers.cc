// HandlerLaw of laws/register.h: a handler is told what its informer was delivered or has listed,
// after that, and each listener's calls follow from one another.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "ksim/check/laws/register.h"
#include "ksim/client/core/profile.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;

// The object that a listener was told last, by its names.
struct LastTold {
  std::string uid;
  std::int64_t rv = 0;
};
using View = std::map<std::string, LastTold>;

class Handlers : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.kind == Kind::kActor && r.Text("state") != "lead" && r.Text("state") != "lose")
      return Forget(r.Text("process"));
    if (r.kind == Kind::kRelist) return TakeRelist(r);
    if (r.kind != Kind::kHandler) return;
    const bool flags = client::ProfileOf(ledger.compat()).initial_list_flag;
    const std::string_view informer = r.Text("informer");
    const std::size_t space = informer.rfind(' ');
    const std::string_view process = informer.substr(0, space);
    Same(r, "the listener", r.Text("listener"), r.actor);
    Same(r, "the listener's process", ProcessOfActor(r.actor), process);
    Same(r, "the informer's resource",
         space == std::string_view::npos ? "" : informer.substr(space + 1), r.Text("resource"));
    if (IsResync(r)) return JudgeResync(ledger, r);
    const bool repeats = Repeats(r);
    JudgeView(ledger, r);
    JudgeVersion(ledger, r);
    const Record* cause = ledger.CauseOf(r);
    if (cause == nullptr || (cause->kind != Kind::kDeliver && cause->kind != Kind::kRelist)) {
      if (!repeats) Contradict(r, "a handler of nothing that was delivered or listed");
      return;
    }
    cause->kind == Kind::kDeliver ? JudgeDelivered(r, *cause, process)
                                  : JudgeListed(r, *cause, flags);
  }

 private:
  void Forget(std::string_view process) {
    std::erase_if(views_, [process](const auto& view) {
      return ProcessOfActor(std::get<1>(view.first)) == process;
    });
    std::erase_if(first_lists_, [process](const auto& list) {
      return std::string_view(list.first).substr(0, list.first.rfind(' ')) == process;
    });
  }

  void TakeRelist(const Record& r) {
    first_lists_.try_emplace(std::string(r.Text("informer")), r.seq);
  }

  // A resync, or a list that still has the object as it was: the listener is told once more.
  static bool IsResync(const Record& r) {
    return r.Text("type") == "update" && r.Int("oldRv") == r.Int("rv");
  }

  // Nothing needs to have arrived for that.
  void JudgeResync(const Ledger& ledger, const Record& r) {
    JudgeView(ledger, r);
    JudgeVersion(ledger, r);
    if (r.Get("tombstone").AsBool()) Contradict(r, "a tombstone in an update");
    if (r.Get("initial").AsBool()) Contradict(r, "initial, but it is an update");
  }

  // A listener that comes late is told what the others were, or, where nobody else listens, what
  // the informer has listed.
  bool Repeats(const Record& r) const {
    const std::string object = fmt::format("{}/{}", r.Text("namespace"), r.Text("name"));
    if (r.Text("type") != "add") return false;
    const bool alone = std::none_of(views_.begin(), views_.end(), [&r](const auto& view) {
      return view.first.first == r.Text("informer") && view.first.second != r.actor;
    });
    if (alone) return first_lists_.contains(std::string(r.Text("informer")));
    return std::any_of(views_.begin(), views_.end(), [&](const auto& view) {
      if (view.first.first != r.Text("informer") || view.first.second == r.actor) return false;
      const auto told = view.second.find(object);
      return told != view.second.end() && told->second.rv == r.Int("rv");
    });
  }

  void JudgeView(const Ledger& ledger, const Record& r) {
    View& view = views_[{std::string(r.Text("informer")), r.actor}];
    const std::string object = fmt::format("{}/{}", r.Text("namespace"), r.Text("name"));
    const auto told = view.find(object);
    const bool known = told != view.end();
    const std::string_view type = r.Text("type");
    // Events that come again, as those of the variant make them, may be deletions.
    const bool again = type == "delete" && ledger.Variant("event.deleteRV") == "objectRV";
    if (known == (type == "add") && !again)
      Contradict(r,
                 fmt::format("{} of what the listener was {}told of", type, known ? "" : "not "));
    const bool update = type == "update";
    Same(r, "oldUid", r.Text("oldUid"), update && known ? told->second.uid : "");
    Same(r, "oldRv", r.Int("oldRv"), update && known ? told->second.rv : 0);
    if (type == "delete") {
      if (known) view.erase(told);
    } else {
      view[object] = {std::string(r.Text("uid")), r.Int("rv")};
    }
  }

  void JudgeVersion(const Ledger& ledger, const Record& r) {
    const CommittedChange* version =
        ledger.Version(r.Text("resource"), r.Text("namespace"), r.Text("name"), r.Int("rv"), r);
    if (version == nullptr)
      return Contradict(r, fmt::format("{} \"{}\" was never committed at revision {}",
                                       r.Text("resource"), r.Text("name"), r.Int("rv")));
    Same(r, "the uid", r.Text("uid"), version->uid());
    const value::Value& whole = r.Get("object");
    if (whole.is_null() || version->after.is_null()) return;
    if (whole.Get("spec") != version->after.Get("spec") ||
        whole.Get("metadata").Get("uid").AsString() != r.Text("uid"))
      Contradict(r, "\"object\" is not what was committed");
  }

  void JudgeDelivered(const Record& r, const Record& told, std::string_view process) {
    Same(r, "the informer's process", process, told.actor);
    for (std::string_view field : {"resource", "namespace", "name", "uid"})
      Same(r, fmt::format("{} beside what was delivered", field), r.Text(field), told.Text(field));
    Same(r, "rv beside what was delivered", r.Int("rv"), told.Int("rv"));
    const bool deleted = told.Text("type") == "DELETED";
    if (deleted != (r.Text("type") == "delete"))
      Contradict(r, fmt::format("{}, but {} was delivered", r.Text("type"), told.Text("type")));
    if (r.Get("tombstone").AsBool()) Contradict(r, "a tombstone, but the deletion was delivered");
    if (r.Get("initial").AsBool() && r.Text("type") != "add")
      Contradict(r, fmt::format("initial, but it is an {}", r.Text("type")));
    if (r.Get("initial").AsBool()) Contradict(r, "initial, but it was delivered after the list");
  }

  // `flags`: handlers of this version are told what is of the first list.
  void JudgeListed(const Record& r, const Record& relist, bool flags) {
    Same(r, "the informer", r.Text("informer"), relist.Text("informer"));
    const bool deletion = r.Text("type") == "delete";
    if (r.Get("tombstone").AsBool() != deletion)
      Contradict(r, deletion ? "a deletion that nobody delivered is told by a tombstone"
                             : fmt::format("a tombstone in an {}", r.Text("type")));
    if (!deletion && r.Int("rv") > relist.Int("gotRv"))
      Contradict(
          r, fmt::format("revision {}, but the list was at {}", r.Int("rv"), relist.Int("gotRv")));
    const auto first = first_lists_.find(r.Text("informer"));
    const bool initial = flags && r.Text("type") == "add" && first != first_lists_.end() &&
                         first->second == relist.seq;
    if (r.Get("initial").AsBool() == initial) return;
    Contradict(r, initial ? "not initial, but it is of the informer's first list"
                          : "initial, but it is not of the informer's first list");
  }

  std::map<std::pair<std::string, std::string>, View> views_;  // by informer, listener
  // By informer: the seq of the first relist in its life.
  std::map<std::string, std::uint64_t, std::less<>> first_lists_;
};

}  // namespace

std::unique_ptr<TraceLaw> HandlerLaw() { return std::make_unique<Handlers>(); }

}  // namespace ksim::check
