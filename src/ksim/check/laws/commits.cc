// CommitLaw of laws/register.h: the commits, folded one after the other, are a store's.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/verbs.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/check/laws/register.h"
#include "ksim/store/object_key.h"
#include "ksim/trace/changes.h"
#include "ksim/trace/state.h"
#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

constexpr std::size_t kLongestValue = 60;  // in a message

std::string Brief(const Value& v) {
  const std::string text = value::ToJson(v);
  return text.size() > kLongestValue ? text.substr(0, kLongestValue) + "..." : text;
}

struct Kept {
  std::int64_t revision = 0;
  Value tree;
};

class Commits : public TraceLaw {
 public:
  void On(const Ledger& ledger, const Record& r) override {
    if (r.kind == Kind::kActor) servers_.emplace(r.Text("process"));
    if (r.kind == Kind::kCompact) return JudgeCompact(ledger, r);
    if (r.kind != Kind::kCommit) return;
    JudgeRevision(ledger, r);
    JudgeKey(r);
    JudgeRequest(ledger, r);
    JudgeChanges(ledger, r);
  }

  void Finish(const Ledger& ledger, const Checker&) override {
    const trace::End& end = *ledger.trace().end;
    if (end.state.empty()) return;
    const std::string digest = trace::OutcomeDigest(ObjectsAtTheEnd());
    if (digest != end.state)
      Contradict(0, fmt::format("the objects that the commits leave hash to {}, it says {}", digest,
                                end.state));
  }

 private:
  void JudgeCompact(const Ledger& ledger, const Record& r) {
    if (r.Int("revision") > ledger.revision() || r.Int("revision") <= compacted_)
      Contradict(r, fmt::format("compacts up to revision {}, of {} to {}", r.Int("revision"),
                                compacted_, ledger.revision()));
    compacted_ = std::max(compacted_, r.Int("revision"));
    const bool own = r.Text("by").starts_with("kube-apiserver");
    if (!own && r.Text("by") != "ksim" && r.Text("by") != "etcd")
      Contradict(r, fmt::format("\"{}\" does not compact", r.Text("by")));
    if (own != (r.cause == 0)) Contradict(r, "compacted by another than its cause says");
    if (!own) return;
    if (!servers_.contains(r.Text("by")))
      Contradict(r, fmt::format("there is no API server {}", r.Text("by")));
    // API servers agree in etcd on the revision up to which the next one compacts.
    const auto agreed = kept_.find("compact_rev_key");
    Same(r, "the revision that was agreed on",
         agreed == kept_.end() ? "" : agreed->second.tree.AsString(),
         std::to_string(r.Int("revision")));
  }

  void JudgeRevision(const Ledger& ledger, const Record& r) {
    const std::int64_t revision = r.Int("revision"), last = ledger.revision();
    const bool next = revision == last + 1;
    if (r.Int("sub") == 0 ? !next : revision != last || r.Int("sub") != sub_ + 1)
      Contradict(r, fmt::format("revision {}.{} after {}.{}", revision, r.Int("sub"), last, sub_));
    sub_ = r.Int("sub");
    Same(r, "the rv", r.Int("rv"), revision);
  }

  void JudgeKey(const Record& r) {
    const auto parts = store::PartsOfKey(r.Text("key"));
    const std::string_view resource = r.Text("resource");
    Same(r, "the resource", resource, ResourceOfKey(r.Text("key"), resource));
    if (parts && !parts->group.empty()) {
      const auto [named, fresh] = names_.emplace(
          fmt::format("{}/{}", parts->group, parts->resource), std::string(resource));
      if (!fresh) Same(r, "the name of the resource", resource, named->second);
    }
    Same(r, "the namespace", r.Text("namespace"), parts ? parts->ns : "");
    Same(r, "the name", r.Text("name"), parts ? parts->name : "");
  }

  void JudgeRequest(const Ledger& ledger, const Record& r) {
    const std::int64_t id = r.Int("request");
    if (id == 0) return JudgeUnasked(ledger, r);
    const Asked* asked = ledger.Request(id);
    if (asked == nullptr) {
      Contradict(r, fmt::format("a commit of request {}, which nobody sent", id));
      return;
    }
    const Record& q = *asked->request;
    Same(r, "the commit's cause", static_cast<std::int64_t>(r.cause),
         static_cast<std::int64_t>(q.seq));
    Same(r, "by", r.Text("by"), q.actor);
    const std::string_view verb = q.Text("verb"), sub = q.Text("subresource");
    if (api::IsRead(verb)) Contradict(r, fmt::format("a {} commits nothing", verb));
    if (q.Get("params").Has("dryRun")) Contradict(r, "a dry run commits nothing");
    if (q.Text("resource") != r.Text("resource")) return JudgeBystander(q, r);
    Same(r, "the namespace", r.Text("namespace"), q.Text("namespace"));
    if (!q.Text("name").empty()) Same(r, "the name", r.Text("name"), q.Text("name"));
    const std::string_view op = r.Text("op");
    const bool made = verb == "create" && (sub.empty() || sub == "token");
    if (made && op != "create") Contradict(r, fmt::format("a create led to {}", op));
    if (op == "create" && (verb == "delete" || verb == "deletecollection" || !sub.empty()))
      Contradict(r, fmt::format("a {} {} created an object", verb, sub));
    if (const std::string_view uid = q.Get("preconditions").Get("uid").AsString(); !uid.empty())
      Same(r, "the uid", r.Text("uid"), uid);
    if (op == "update") JudgePlaces(q, r);
    if (!asked->stages.empty() && asked->stages.back()->Text("result") != "ok")
      Contradict(r, fmt::format("seq {} had refused the request", asked->stages.back()->seq));
  }

  // The state that the cluster begins with is there before any API server.
  static bool IsInitial(const Ledger& ledger, const Record& r) {
    const bool given = ledger.trace().header.scenario.Get("spec").Has("initial");
    return given && r.cause == 0 && r.t == 0 && r.Text("op") == "create";
  }

  // API servers write their own leases and namespaces, the budget of an eviction, and what they
  // make of a definition: its status, and the end of its objects; a fault that makes a conflict
  // writes as another user would.
  void JudgeUnasked(const Ledger& ledger, const Record& r) {
    const Record* cause = ledger.CauseOf(r);
    if (r.Text("by") == "ksim" && IsInitial(ledger, r)) return;
    if (r.Text("by") == "ksim") {
      if (cause == nullptr || cause->kind != Kind::kFault || cause->Text("state") != "begin")
        Contradict(r, "a commit of ksim without a fault that made it");
      return;
    }
    if (!servers_.contains(r.Text("by")))
      Contradict(r, fmt::format("a commit of {} without a request", r.Text("by")));
    const bool evicts = cause != nullptr && cause->kind == Kind::kRequest &&
                        cause->Text("subresource") == "eviction" &&
                        r.Text("resource") == "poddisruptionbudgets";
    const bool defines = cause != nullptr && cause->kind == Kind::kRequest &&
                         cause->Text("resource") == "customresourcedefinitions";
    if (cause != nullptr && !evicts && !defines)
      Contradict(r, "a commit without a request has no cause");
  }

  // The objects that are there in the end, as a cluster lists them: kind by kind, then by key.
  std::vector<api::Object> ObjectsAtTheEnd() {
    api::Kinds kinds;
    for (const auto& [key, kept] : kept_) AddCustomKind(key, kept.tree, &kinds);
    std::vector<api::Object> out;
    std::set<std::string> seen;  // events of both groups live under one prefix
    for (const api::ResourceInfo* info : kinds.all()) {
      const std::string prefix = api::StorageKey(*info, "", "");
      if (!seen.insert(prefix).second) continue;
      for (auto at = kept_.lower_bound(prefix); at != kept_.end() && at->first.starts_with(prefix);
           ++at)
        if (!at->second.tree.is_null())
          out.push_back(api::Object::FromTree(at->second.tree, at->second.revision));
    }
    return out;
  }

  // The group in the keys of custom resources has a dot.
  static void AddCustomKind(std::string_view key, const Value& tree, api::Kinds* kinds) {
    if (!key.starts_with(store::kRegistry) || tree.is_null()) return;
    key.remove_prefix(store::kRegistry.size());
    const std::size_t slash = key.find('/');
    const std::string_view group = key.substr(0, slash);
    if (slash == std::string_view::npos || group.find('.') == std::string_view::npos) return;
    api::ResourceInfo info;
    info.group = group;
    info.resource = key.substr(slash + 1, key.find('/', slash + 1) - slash - 1);
    if (kinds->ByResource(info.group, info.resource) != nullptr) return;
    info.kind = tree.Get("kind").AsString();
    info.custom = true;
    info.storage_prefix = fmt::format("{}/{}", info.group, info.resource);
    kinds->Add(std::move(info));
  }

  // Another object that a write changes as well: a Service's addresses and the like. What a quota
  // counts is written into it before the object.
  void JudgeBystander(const Record& q, const Record& r) {
    if (r.Text("resource") == "resourcequotas" && r.Text("op") == "update") return;
    if (q.Text("verb") == "get" || q.Text("name").empty() == r.Text("name").empty()) return;
    Same(r, "the resource", r.Text("resource"), q.Text("resource"));
  }

  // A write of a status changes no spec, any other write no status.
  void JudgePlaces(const Record& q, const Record& r) {
    const std::string_view sub = q.Text("subresource");
    for (const Value& change : r.Get("changed").items()) {
      const std::string_view path = change.Get("path").AsString();
      const bool status = path.starts_with("status"), spec = path.starts_with("spec");
      if (sub == "status" && spec)
        Contradict(r, fmt::format("a write of the status changed {}", path));
      if (sub == "scale" && status)
        Contradict(r, fmt::format("a write of the scale changed {}", path));
      if (sub.empty() && status && q.Text("resource") == "pods" &&
          (q.Text("verb") == "update" || q.Text("verb") == "patch"))
        Contradict(r, fmt::format("a write of the spec changed {}", path));
    }
  }

  void JudgeChanges(const Ledger& ledger, const Record& r) {
    Kept& kept = kept_[std::string(r.Text("key"))];
    const Value before = kept.tree;
    const bool create = r.Text("op") == "create", removed = r.Text("op") == "delete";
    if (create != before.is_null())
      Contradict(r, fmt::format("{}s what is {}there", r.Text("op"), create ? "" : "not "));
    Same(r, "prevRv", r.Int("prevRv"), before.is_null() ? 0 : kept.revision);
    const auto changes = trace::ChangesFromTree(r.Get("changed"));
    if (!changes.ok()) return Contradict(r, "the changes cannot be read");
    Value after = AfterChanges(ledger, r, before, *changes);
    if (removed && !after.is_null()) Contradict(r, "a deletion leaves something");
    const Value& named = removed ? before : after;
    JudgeObject(r, named);
    if (!create && !removed) Same(r, "the object's uid", UidOf(after), UidOf(before));
    if (const Value& whole = r.Get("object"); !whole.is_null() && whole != named)
      Contradict(r, "\"object\" is not what the commits make");
    kept.revision = r.Int("revision");
    kept.tree = removed ? Value() : std::move(after);
  }

  // The object with the changes. The history has made them already: they are made once more, one
  // after the other, only if they do not fit.
  Value AfterChanges(const Ledger& ledger, const Record& r, const Value& before,
                     const std::vector<value::Change>& changes) {
    const CommittedChange* filed = ledger.history().Commit(
        api::ObjectHash(r.Text("resource"), r.Text("namespace"), r.Text("name")),
        r.Int("revision"));
    const bool known = filed != nullptr && filed->seq == r.seq && filed->before == before;
    if (known && std::all_of(changes.begin(), changes.end(),
                             [&before](const value::Change& c) { return Fits(before, c); }))
      return filed->after;
    Value after = before;
    for (const value::Change& c : changes) after = Step(r, std::move(after), c);
    return after;
  }

  static const Value* PlaceOf(const Value& now, const value::Change& c) {
    if (now.is_null()) return nullptr;
    return c.path.empty() ? &now : now.Find(c.path);
  }

  static bool IsHollow(const Value* there) {
    return there != nullptr && there->empty() &&
           (there->is_object() || there->is_array() || there->is_null());
  }

  static bool Fits(const Value& before, const value::Change& c) {
    const Value* there = PlaceOf(before, c);
    if (!c.before) return there == nullptr || IsHollow(there);
    return there != nullptr && *there == *c.before && !(c.after && *c.before == *c.after);
  }

  // Holds a change against the store's object, and makes it.
  Value Step(const Record& r, Value now, const value::Change& c) {
    const std::string path = c.path.ToString();
    const Value* there = PlaceOf(now, c);
    if (c.before && (there == nullptr || *there != *c.before))
      Contradict(r, fmt::format("{} was {}, says the commit; the store had {}",
                                path.empty() ? "the object" : path, Brief(*c.before),
                                there == nullptr ? "nothing" : Brief(*there)));
    if (!c.before && there != nullptr && !IsHollow(there))
      Contradict(r, fmt::format("{} was not there, says the commit; the store had {}", path,
                                Brief(*there)));
    if (c.before && c.after && *c.before == *c.after)
      Contradict(r, fmt::format("{} is said to change, and stays {}", path, Brief(*c.after)));
    return value::Apply(std::move(now), {c});
  }

  static std::string_view UidOf(const Value& tree) {
    return tree.Get(api::Fields().metadata).Get(api::Fields().uid).AsString();
  }

  void JudgeObject(const Record& r, const Value& tree) {
    Same(r, "the uid", r.Text("uid"), UidOf(tree));
    const Value& metadata = tree.Get("metadata");
    if (r.Text("resource").empty() || metadata.is_null()) return;
    Same(r, "the name", r.Text("name"), metadata.Get("name").AsString());
    Same(r, "the namespace", r.Text("namespace"), metadata.Get("namespace").AsString());
  }

  std::int64_t sub_ = 0, compacted_ = 0;
  std::map<std::string, Kept, std::less<>> kept_;  // by key
  std::map<std::string, std::string> names_;       // GROUP/PLURAL -> what the trace calls it
  std::set<std::string, std::less<>> servers_;
};

}  // namespace

std::unique_ptr<TraceLaw> CommitLaw() { return std::make_unique<Commits>(); }

}  // namespace ksim::check
