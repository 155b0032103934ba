// StageLaw of laws/register.h: each request passes a server's stages in their order.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/verbs.h"
#include "ksim/check/laws/register.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;

class Stages : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    // A server that dies answers nothing that it asked itself.
    if (r.kind == Kind::kActor)
      std::erase_if(own_, [&r](const auto& entry) { return entry.first.first == r.actor; });
    if (r.kind != Kind::kStage) return;
    if (r.Int("request") == 0) return JudgeOwn(ledger, r);
    const Asked* asked = ledger.Request(r.Int("request"));
    if (asked == nullptr) {
      Contradict(r, fmt::format("a stage of request {}, which nobody sent", r.Int("request")));
      return;
    }
    const Record& q = *asked->request;
    Same(r, "the stage's cause", static_cast<std::int64_t>(r.cause),
         static_cast<std::int64_t>(q.seq));
    Same(r, "the actor", r.actor, q.Text("server"));
    if (r.Text("result").empty()) Contradict(r, "a stage without a result");
    const Record* last = asked->stages.empty() ? nullptr : asked->stages.back();
    const std::string_view before = last == nullptr ? "" : last->Text("stage");
    if (!Follows(before, r, q))
      Contradict(r, fmt::format("stage \"{}\" of a {} after \"{}\"", r.Text("stage"),
                                q.Text("verb"), before));
    // A server that refused by a cached object tries once more with the newest one.
    const bool anew = before == "validate" && r.Text("stage") != "admit";
    if (last != nullptr && last->Text("result") != "ok" && !anew)
      Contradict(r, fmt::format("a stage after seq {}, which refused the request", last->seq));
    // A server authenticates and authorizes at one moment.
    if (r.Text("stage") == "authorize" && last != nullptr) Same(r, "the time", r.t, last->t);
    // Nothing but a write takes time before the store.
    if ((r.Text("stage") == "validate" && before == "admit") && last != nullptr)
      Same(r, "the time", r.t, last->t);
  }

 private:
  static bool IsRefused(const Record& r, std::string_view verb) {
    const bool has_options = verb == "list" || verb == "watch" || verb.starts_with("delete");
    return has_options && r.Text("result") != "ok";
  }

  static bool Follows(std::string_view before, const Record& r, const Record& q) {
    const std::string_view stage = r.Text("stage"), verb = q.Text("verb");
    if (stage == "authenticate") return before.empty();
    if (stage == "authorize") return before == "authenticate";
    // Options that contradict each other are refused before anything else is done.
    if (stage == "validate" && before == "authorize") return IsRefused(r, verb);
    if (api::IsRead(verb)) return stage == "store" && verb != "watch" && before == "authorize";
    const bool deletes = verb == "delete" || verb == "deletecollection";
    if (deletes) {
      if (stage == "admit") return before == "authorize" || before == "store" || before == "admit";
      // A collection is listed before its first object is admitted.
      const bool lists = verb == "deletecollection" && before == "authorize";
      return stage == "store" && (before == "admit" || lists);
    }
    // A write that met another one begins anew.
    if (stage == "default")
      return before == "authorize" || before == "validate" || before == "store";
    const bool evicts = q.Text("subresource") == "eviction";
    if (stage == "admit") return before == "default" || (evicts && before == "authorize");
    if (stage == "validate") return before == "admit";
    // A patch of what is not there gets no further.
    return before == "validate" || evicts || (before == "authorize" && r.Text("result") != "ok");
  }

  // A server asks itself for its namespaces when it starts, for budgets in an eviction, for the
  // Endpoints of a Service that is deleted, and for what it does about a definition: in the name of
  // whoever wrote that.
  void JudgeOwn(const Ledger& ledger, const Record& r) {
    if (!r.actor.starts_with("kube-apiserver"))
      Contradict(r, fmt::format("{} is no API server", r.actor));
    const Record* cause = ledger.CauseOf(r);
    const bool asked = cause != nullptr && cause->kind == Kind::kRequest;
    if (asked && cause->Text("subresource") == "eviction") return;
    // A server that is back goes on with definitions.
    const bool is_back =
        cause != nullptr && (cause->kind == Kind::kFault || cause->kind == Kind::kActor);
    const bool ends_service =
        asked && cause->Text("resource") == "services" && cause->Text("verb").starts_with("delete");
    if (ends_service || (asked && cause->Text("resource") == "customresourcedefinitions"))
      Same(r, "the actor", r.actor, cause->Text("server"));
    else if (!is_back)
      Same(r, "the stage's cause", static_cast<std::int64_t>(r.cause), 0);
    const Record*& last = LastOfOwn(r, is_back || ends_service);
    if (!FollowsInOwn(last == nullptr ? "store" : last->Text("stage"), r.Text("stage")))
      Contradict(r, fmt::format("stage \"{}\" of a server's own request after \"{}\"",
                                r.Text("stage"), last == nullptr ? "" : last->Text("stage")));
    if (r.Text("stage") != "store") Same(r, "the result", r.Text("result"), "ok");
    if (r.Text("stage") == "authorize" && last != nullptr) Same(r, "the time", r.t, last->t);
    last = &r;
  }

  // The last stage of the request that this one belongs to; a null one for a new request. A server
  // asks itself one after the other; about definitions when it is back, and about Services that are
  // deleted, `many` at a time.
  const Record*& LastOfOwn(const Record& r, bool many) {
    std::vector<const Record*>& under_way = own_[{r.actor, r.cause}];
    if (many) {
      for (const Record*& last : under_way)
        if (FollowsInOwn(last->Text("stage"), r.Text("stage"))) return last;
      if (r.Text("stage") == "authenticate") return under_way.emplace_back(nullptr);
    }
    if (under_way.empty()) under_way.push_back(nullptr);
    return under_way.back();
  }

  static bool FollowsInOwn(std::string_view before, std::string_view stage) {
    if (stage == "authenticate") return before == "store";
    if (stage == "authorize") return before == "authenticate";
    if (stage == "default") return before == "authorize" || before == "store";
    if (stage == "admit")
      return before == "default" || before == "authorize" || before == "store" || before == "admit";
    if (stage == "validate") return before == "admit";
    return stage == "store" && (before == "validate" || before == "authorize" || before == "admit");
  }

  // By server and cause: the last ones.
  std::map<std::pair<std::string, std::uint64_t>, std::vector<const Record*>> own_;
};

}  // namespace

std::unique_ptr<TraceLaw> StageLaw() { return std::make_unique<Stages>(); }

}  // namespace ksim::check
