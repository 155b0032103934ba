// ns.empty: a namespace that is gone has left nothing behind. The namespace controller takes the
// finalizer away only after it has deleted, and listed, every kind.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/hash.h"
#include "ksim/check/oracles/register.h"
#include "ksim/value/value.h"

namespace ksim::check {
namespace {

using value::Path;
using value::Value;

const OracleInfo& EmptyInfo() {
  static const OracleInfo info{
      "ns.empty",
      Guarantee::kSafety,
      "When the namespace controller lets a namespace go, nothing is left in it.",
      {sim::EventKind::kCommit, sim::EventKind::kReconcile},
      {"an object that a server made after the controller began its last look at the namespace: "
       "one "
       "that had not heard of the deletion yet",
       "whoever else takes the finalizer away, such as a user in despair, leaves what there is",
       "an object of a resource that the server does not serve any more"},
      "no namespace was deleted"};
  return info;
}

bool IsHeld(const Value& ns) {
  static const Path kFinalizers{"spec", "finalizers"};
  const auto finalizers = ns.Get(kFinalizers).items();
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [](const Value& f) { return f.AsString() == "kubernetes"; });
}

bool IsMarked(const Value& ns) {
  static const Path kDeleted{"metadata", "deletionTimestamp"};
  return !ns.Get(kDeleted).is_null();
}

// The controller, native or as a part of a guest that stands for the whole manager.
bool IsController(std::string_view actor) {
  return actor.ends_with("/namespace") || actor.starts_with("kube-controller-manager");
}

class Empty : public Oracle {
 public:
  Empty() : Oracle(EmptyInfo()) {}

  void On(const Facts& facts, const Observation& o) override {
    if (o.kind == sim::EventKind::kReconcile) {
      const auto deleted = deleted_.find(o.target);
      if (deleted != deleted_.end() && o.state == "begin" && IsController(o.actor))
        deleted->second.looked = o.seq;
      return;
    }
    if (o.resource == "namespaces") return OnNamespace(facts, o);
    if (o.ns.empty()) return;
    if (o.op == CommitOp::kCreate) objects_[Hash64(o.ns)][o.object] = o.seq;
    if (o.op != CommitOp::kDelete) return;
    const auto there = objects_.find(Hash64(o.ns));
    if (there == objects_.end()) return;
    there->second.erase(o.object);
    if (there->second.empty()) objects_.erase(there);
  }

 private:
  // A namespace that is being deleted.
  struct Deleted {
    std::uint64_t looked = 0;  // seq from which on what is made may escape the controller
    bool let_go = false;       // by the controller
  };

  void OnNamespace(const Facts& facts, const Observation& o) {
    if (o.op != CommitOp::kDelete) {
      if (!IsMarked(*o.after)) return;
      Deleted& deleted =
          deleted_.try_emplace(std::string(o.name), Deleted{o.seq, false}).first->second;
      if (IsHeld(*o.before) && !IsHeld(*o.after)) deleted.let_go = IsController(o.by);
      return;
    }
    const auto found = deleted_.find(o.name);
    if (found == deleted_.end()) return;
    const Deleted deleted = found->second;
    deleted_.erase(found);
    // The last update and the deletion may be one commit.
    const bool let_go = deleted.let_go || (IsHeld(*o.before) && IsController(o.by));
    if (!let_go) return;
    Judged();
    Judge(facts, o, deleted.looked);
  }

  void Judge(const Facts& facts, const Observation& o, std::uint64_t looked) {
    const auto there = objects_.find(Hash64(o.name));
    if (there == objects_.end()) return;
    std::vector<std::pair<std::uint64_t, std::string>> left;
    for (const auto& [object, made] : there->second)
      if (made < looked) left.emplace_back(made, facts.history().NameOf(object));
    if (left.empty()) return;
    std::sort(left.begin(), left.end());
    std::vector<std::string> names;
    for (auto& [made, name] : left) names.push_back(std::move(name));
    Violate(left.front().first, "",
            fmt::format("namespace {} is gone, and {} is left in it{}", o.name, names.front(),
                        names.size() == 1 ? "" : fmt::format(", and {} more", names.size() - 1)),
            names);
  }

  std::map<std::string, Deleted, std::less<>> deleted_;
  // By the hash of their namespace: when each object was made. Walked only to be sorted.
  absl::flat_hash_map<std::uint64_t, absl::flat_hash_map<std::uint64_t, std::uint64_t>> objects_;
};

}  // namespace

OracleEntry NsEmptyOracle() {
  return {&EmptyInfo(), [] { return std::unique_ptr<Oracle>(new Empty); }, ""};
}

}  // namespace ksim::check
