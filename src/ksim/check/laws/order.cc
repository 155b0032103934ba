// OrderLaw of laws/register.h: time never runs backwards, and each event has a cause that can have
// led to it.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/check/laws/register.h"
#include "ksim/trace/schema.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;

class Order : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.t < t_)
      Contradict(r, fmt::format("its time is {} ns, that of the event before is {} ns", r.t, t_));
    t_ = std::max(t_, r.t);
    // A program may well say a thing twice.
    if (last_ != nullptr && r.kind != Kind::kLog && IsSame(*last_, r))
      Contradict(r, fmt::format("it repeats seq {} in everything", last_->seq));
    last_ = &r;
    if (const std::string_view actor = ActorOf(r); !actor.empty())
      Same(r, "the actor", r.actor, actor);
    if (r.cause == 0) return JudgeCauseless(ledger, r);
    const Record* cause = ledger.CauseOf(r);
    if (cause == nullptr) {
      Contradict(r, fmt::format("its cause, seq {}, is no earlier event", r.cause));
      return;
    }
    if (!MayCause(*cause, r))
      Contradict(r, fmt::format("its cause, seq {}, is a {} of {}: that leads to no {} of {}",
                                cause->seq, trace::KindName(cause->kind), cause->actor,
                                trace::KindName(r.kind), r.actor));
    if (IsAtOnce(r, *cause)) Same(r, "the time, beside its cause's,", r.t, cause->t);
  }

 private:
  // The only actor of events of such a kind; "" = several.
  static std::string_view ActorOf(const Record& r) {
    switch (r.kind) {
      case Kind::kCommit:
      case Kind::kCompact:
        return "etcd";
      case Kind::kFault:
      case Kind::kPhase:
      case Kind::kViolation:
        return "ksim";
      case Kind::kStep:
        return "kubectl";
      case Kind::kActor:
        return r.Text("process");
      default:
        return "";
    }
  }

  // Faults do not wait; one that has struck nothing by its end is skipped then.
  static bool IsAtOnce(const Record& r, const Record& cause) {
    if (r.kind != Kind::kFault || r.Text("state") == "end") return false;
    return cause.kind != Kind::kFault || cause.Text("id") != r.Text("id");
  }

  void JudgeCauseless(const Ledger& ledger, const Record& r) {
    const bool made = r.Text("action") == "create" || r.Text("action") == "start";
    if ((r.kind == Kind::kRuntime && made) || r.kind == Kind::kDeliver ||
        r.kind == Kind::kResponse || r.kind == Kind::kRelist)
      Contradict(r, fmt::format("a {} that nothing led to", trace::KindName(r.kind)));
    if (r.kind == Kind::kActor && r.Text("state") == "kill")
      Contradict(r, "a process is killed by nothing");
    const bool whole = ledger.trace().end && ledger.trace().end->result != "interrupted";
    if (r.kind == Kind::kViolation && whole)
      Same(r, "the time of what is found at the end", r.t, ledger.trace().end->time);
  }

  // Things done to the cluster from outside lead to whatever their target does next.
  static bool FromOutside(Kind kind) { return kind == Kind::kFault || kind == Kind::kStep; }

  // Kinds whose causes one record determines are held by that record's own law.
  static bool MayCause(const Record& cause, const Record& r) {
    switch (r.kind) {
      case Kind::kRequest:
        return LeadsToRequest(cause, r);
      case Kind::kReconcile:
      case Kind::kRuntime:
        return FromOutside(cause.kind) || ProcessOfActor(cause.actor) == ProcessOfActor(r.actor);
      case Kind::kPhase:
        return false;
      case Kind::kCompact:
        return FromOutside(cause.kind);
      case Kind::kActor:
        return FromOutside(cause.kind) || (r.Text("state") == "kill" && IsTrigger(cause.kind));
      case Kind::kCache:
        return cause.kind == Kind::kRelist || cause.kind == Kind::kPhase;
      default:
        return true;
    }
  }

  // A step or a fault that waits for an event begins by one of the cluster itself.
  static bool IsTrigger(Kind kind) {
    return kind == Kind::kCommit || kind == Kind::kEvent || kind == Kind::kDeliver;
  }

  static bool LeadsToRequest(const Record& cause, const Record& r) {
    if (FromOutside(cause.kind)) return true;
    if (cause.kind == Kind::kEvent || cause.kind == Kind::kCommit) return true;  // of a trigger
    if (cause.kind == Kind::kInput) return true;
    static constexpr Kind kOwn[] = {Kind::kHandler,   Kind::kRelist,  Kind::kRuntime,
                                    Kind::kReconcile, Kind::kRequest, Kind::kDeliver};
    if (std::find(std::begin(kOwn), std::end(kOwn), cause.kind) == std::end(kOwn)) return false;
    // Reflectors answer to what somebody's request has done to their server, and so does a user's
    // wait, after which the user goes on.
    const bool reads = r.Text("verb") == "watch" || r.Text("verb") == "list";
    if (cause.kind == Kind::kRequest && (reads || r.actor == "kubectl")) return true;
    if (cause.kind == Kind::kReconcile && cause.Text("state") == "end") return false;
    return cause.kind == Kind::kDeliver || ProcessOfActor(cause.actor) == ProcessOfActor(r.actor);
  }

  static bool IsSame(const Record& a, const Record& b) {
    const auto same = [](const value::Value::Member& x, const value::Value::Member& y) {
      return x.name == y.name && x.value == y.value;
    };
    return a.kind == b.kind && a.t == b.t && a.actor == b.actor && a.cause == b.cause &&
           std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same);
  }

  const Record* last_ = nullptr;
  std::int64_t t_ = 0;
};

}  // namespace

std::unique_ptr<TraceLaw> OrderLaw() { return std::make_unique<Order>(); }

}  // namespace ksim::check
