// RequestLaw of laws/register.h: requests are numbered, of somebody who exists, about something
// that can be asked so, and answered.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/base/one_of.h"
#include "ksim/check/laws/register.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

// The resources that are built in: name -> whether they are namespaced.
const std::map<std::string, bool, std::less<>>& BuiltinResources() {
  static const auto& builtin = *[] {  // never destroyed
    auto* all = new std::map<std::string, bool, std::less<>>;
    const api::Kinds kinds;
    for (const api::ResourceInfo* info : kinds.all()) (*all)[info->resource] = info->namespaced;
    return all;
  }();
  return builtin;
}

class Requests : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.kind == Kind::kActor) return TakeActor(r);
    if (r.kind == Kind::kResponse) {
      if (const std::string_view token = r.Text("continue"); !token.empty()) tokens_.emplace(token);
      return;
    }
    if (r.kind != Kind::kRequest) return;
    Same(r, "the request's id", r.Int("id"), static_cast<std::int64_t>(ledger.requests()) + 1);
    if (!servers_.contains(r.Text("server")))
      Contradict(r, fmt::format("there is no API server \"{}\"", r.Text("server")));
    JudgeUser(r);
    JudgeTarget(ledger, r);
    JudgeUid(ledger, r);
    JudgeParams(r);
    if (const Record* cause = ledger.CauseOf(r); cause != nullptr && cause->kind == Kind::kRelist)
      JudgeWatchAfterRelist(ledger, r, *cause);
  }

  // Each request is answered, unless its sender ended first or the run did.
  void Finish(const Ledger& ledger, const Checker&) override {
    const trace::End& end = *ledger.trace().end;
    for (const Asked& asked : ledger.asked()) {
      const Record& r = *asked.request;
      if (asked.response != nullptr) continue;
      const auto ended = ended_.find(ProcessOfActor(r.actor));
      if (ended != ended_.end() && ended->second > r.seq) continue;
      if (end.time - r.t < kAnswerTime) continue;
      if (ledger.clocks().Passed(ProcessOfActor(r.actor), r.t, end.time) < kAnswerTime) continue;
      Contradict(r, "the request has no response, and its sender did not end");
    }
    for (const auto& [resource, lone] : unknown_)
      if (lone != nullptr && ledger.history().Of(resource).empty())
        Contradict(*lone, fmt::format("there is no resource \"{}\"", resource));
  }

 private:
  // Longer than any client waits, by its own clock.
  static constexpr std::int64_t kAnswerTime = 60'000'000'000;

  void TakeActor(const Record& r) {
    if (r.Text("process").starts_with("kube-apiserver")) servers_.emplace(r.Text("process"));
    if (IsOneOf(r.Text("state"), {"stop", "kill"})) ended_[std::string(r.Text("process"))] = r.seq;
  }

  // A client outside may send whatever it likes.
  static bool IsOutside(const Record& r) { return r.actor.starts_with("outside-"); }

  void JudgeUser(const Record& r) {
    // A client outside may be anybody, and so may kubectl --as.
    if (IsOutside(r) || r.actor == "kubectl") return;
    const auto [at, fresh] = users_.try_emplace(r.actor, r.Text("user"));
    if (!fresh) Same(r, fmt::format("the user of {}", r.actor), r.Text("user"), at->second);
    if (r.actor.starts_with("kubelet/"))
      Same(r, "the user", r.Text("user"), "system:node:" + r.actor.substr(8));
    if (r.actor == "kube-scheduler") Same(r, "the user", r.Text("user"), "system:kube-scheduler");
  }

  void JudgeTarget(const Ledger& ledger, const Record& r) {
    const std::string_view verb = r.Text("verb"), name = r.Text("name");
    const std::string_view ns = r.Text("namespace"), sub = r.Text("subresource");
    const bool collection = IsOneOf(verb, {"list", "watch", "deletecollection"});
    if (collection != name.empty() && !(verb == "create" && sub.empty()))
      Contradict(r, fmt::format("a {} request {} a name", verb, name.empty() ? "has not" : "has"));
    const auto builtin = BuiltinResources().find(r.Text("resource"));
    if (builtin == BuiltinResources().end()) {
      const auto [at, fresh] =
          unknown_.try_emplace(std::string(r.Text("resource")), verb == "create" ? nullptr : &r);
      if (!fresh) at->second = nullptr;  // several requests know it: a kind of the user's own
    } else if (builtin->second ? ns.empty() && !name.empty() : !ns.empty()) {
      Contradict(r, fmt::format("{} {} in a namespace", r.Text("resource"),
                                ns.empty() ? "are" : "are not"));
    }
    if (!ns.empty() && ledger.history().OfObject(api::ObjectHash("namespaces", "", ns)).empty() &&
        Answered(ledger, r))
      Contradict(r, fmt::format("there is no namespace \"{}\"", ns));
    if (sub.empty()) return;
    const bool made = IsOneOf(sub, {"binding", "eviction", "token"});
    const bool written = IsOneOf(
        sub, {"status", "scale", "finalize", "approval", "ephemeralcontainers", "resize", "log"});
    if (!made && !written) Contradict(r, fmt::format("there is no subresource \"{}\"", sub));
    if (made != (verb == "create") || collection || verb == "delete")
      Contradict(r, fmt::format("a {} of {} cannot be asked for", verb, sub));
  }

  // Whether a later response says that it was done.
  static bool Answered(const Ledger& ledger, const Record& r) {
    for (const Record& later : ledger.trace().events)
      if (later.seq > r.seq && later.kind == Kind::kResponse && later.Int("id") == r.Int("id"))
        return Succeeded(later) && r.Text("verb") != "list" && r.Text("verb") != "watch";
    return false;
  }

  // The kubelet of the variant means the pod that it knows, and does not say so.
  static bool MeansWithoutPrecondition(const Ledger& ledger, const Record& r) {
    return r.actor.starts_with("kubelet/") && r.Get("preconditions").empty() &&
           ledger.Variant("kubelet.deletePrecondition") == "none";
  }

  void JudgeUid(const Ledger& ledger, const Record& r) {
    const std::string_view uid = r.Text("uid");
    const Value& preconditions = r.Get("preconditions");
    const bool deletes = IsOneOf(r.Text("verb"), {"delete", "deletecollection"}) ||
                         r.Text("subresource") == "eviction";
    if (!deletes && !preconditions.empty())
      Contradict(r, fmt::format("a {} has no preconditions", r.Text("verb")));
    for (const Value::Member& m : preconditions.members())
      if (!IsOneOf(m.name.text(), {"uid", "resourceVersion"}) || m.value.AsString().empty())
        Contradict(r, fmt::format("there is no precondition \"{}\"", m.name.text()));
    if (r.Text("verb") == "delete" && !MeansWithoutPrecondition(ledger, r))
      Same(r, "the uid", uid, preconditions.Get("uid").AsString());
    if (r.Text("verb") == "create") Same(r, "the uid of what is created", uid, "");
    // A new slice takes the name of one that would go (endpointslice reconciler.go recycleSlices).
    if (r.Text("verb") == "update" && uid.empty() && IsOfControlPlane(r.actor) &&
        r.Text("resource") != "endpointslices")
      Contradict(r, "an update without the uid of what its sender has read");
    if (uid.empty()) return;
    const Changes& own = ledger.history().OfObject(
        api::ObjectHash(r.Text("resource"), r.Text("namespace"), r.Text("name")));
    const bool known = std::any_of(own.begin(), own.end(), [&](const CommittedChange* c) {
      return c->seq < r.seq && c->uid() == uid;
    });
    if (!known && !IsOutside(r))
      Contradict(
          r, fmt::format("no {} \"{}\" had the uid {}", r.Text("resource"), r.Text("name"), uid));
  }

  // kubectl and controllers of a user may write what they have not read.
  static bool IsOfControlPlane(std::string_view actor) {
    return IsOneOf(ProcessOfActor(actor), {"kube-controller-manager", "kube-scheduler"}) ||
           actor.starts_with("kubelet/");
  }

  void JudgeParams(const Record& r) {
    const std::string_view verb = r.Text("verb");
    const Value& params = r.Get("params");
    const bool reads = IsOneOf(verb, {"list", "watch", "deletecollection"});
    for (const Value::Member& m : params.members()) {
      const std::string_view name = m.name.text();
      const bool of_lists =
          IsOneOf(name, {"allowWatchBookmarks", "continue", "fieldSelector", "labelSelector",
                         "limit", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds"});
      const bool of_writes =
          IsOneOf(name, {"dryRun", "fieldManager", "fieldValidation", "force", "gracePeriodSeconds",
                         "orphanDependents", "patchType", "propagationPolicy"});
      const bool revision = name == "resourceVersion";
      const bool fits =
          reads ? of_lists || of_writes || revision : (verb == "get" ? revision : of_writes);
      if (!m.value.is_string() || !fits)
        Contradict(r, fmt::format("a {} has no option \"{}\"", verb, name));
      if (IsOneOf(name, {"allowWatchBookmarks", "sendInitialEvents", "force"}) &&
          !IsOneOf(m.value.AsString(), {"true", "false"}))
        Contradict(r, fmt::format("option {} is \"{}\"", name, m.value.AsString()));
    }
    if (params.Has("patchType") != (verb == "patch"))
      Contradict(r, fmt::format("a {} request {} option patchType", verb,
                                verb == "patch" ? "needs" : "has no"));
    const std::string_view token = params.Get("continue").AsString();
    if (!token.empty() && !tokens_.contains(token) && !IsOutside(r))
      Contradict(r, "no response gave this continue token");
  }

  // A reflector watches what it has listed, from the revision of the list.
  void JudgeWatchAfterRelist(const Ledger& ledger, const Record& r, const Record& relist) {
    if (!watched_.insert(relist.seq).second) return;  // it tries again
    if (r.Text("verb") != "watch") return Contradict(r, "a relist leads to a watch");
    Same(r, "the watched resource", r.Text("resource"), relist.Text("resource"));
    Same(r, "the watch's resourceVersion", r.Get("params").Get("resourceVersion").AsString(),
         std::to_string(relist.Int("gotRv")));
    const Value& ids = relist.Get("requests");
    const Asked* listed = ids.empty() ? nullptr : ledger.Request(ids.at(ids.size() - 1).AsInt());
    if (listed == nullptr) return;
    for (std::string_view selector : {"fieldSelector", "labelSelector"})
      Same(r, selector, r.Get("params").Get(selector).AsString(),
           listed->request->Get("params").Get(selector).AsString());
    Same(r, "the namespace", r.Text("namespace"), listed->request->Text("namespace"));
  }

  std::set<std::string, std::less<>> servers_, tokens_;
  std::set<std::uint64_t> watched_;                          // relists: seq
  std::map<std::string, std::uint64_t, std::less<>> ended_;  // process -> seq
  std::map<std::string, std::string, std::less<>> users_;    // by actor
  std::map<std::string, const Record*> unknown_;             // null: asked for more than once
};

}  // namespace

std::unique_ptr<TraceLaw> RequestLaw() { return std::make_unique<Requests>(); }

}  // namespace ksim::check
