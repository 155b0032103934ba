#include "ksim/value/diff.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ksim/value/atom.h"
#include "ksim/value/node.h"

namespace ksim::value {
namespace {

bool SameHash(const Value& a, const Value& b) {
  if (!IsNode(a) || !IsNode(b) || TagOf(Bits(a)) != TagOf(Bits(b))) return false;
  const std::uint64_t hash = NodeOf(Bits(a))->hash;
  return hash != 0 && hash == NodeOf(Bits(b))->hash;
}

class Differ {
 public:
  explicit Differ(std::vector<Change>* out) : out_(*out) {}

  void Compare(const Value& a, const Value& b) {
    if (a.is_object() && b.is_object()) {
      CompareMembers(MembersOf(a), MembersOf(b));
    } else if (a.is_array() && b.is_array()) {
      CompareItems(ItemsOf(a), ItemsOf(b));
    } else {
      Emit(a, b);
    }
  }

  void Added(const Value& b) {
    if (b.empty()) return Emit(std::nullopt, b);
    for (const Value::Member& m : MembersOf(b)) {
      path_.emplace_back(m.name);
      Added(m.value);
      path_.pop_back();
    }
    for (std::size_t i = 0; i < ItemsOf(b).size(); ++i) {
      path_.push_back(PathStep::Index(static_cast<std::uint32_t>(i)));
      Added(ItemsOf(b)[i]);
      path_.pop_back();
    }
  }

 private:
  using Members = std::span<const Value::Member>;
  using Items = std::span<const Value>;

  static bool Same(const Value& a, const Value& b) { return a.SameTree(b) || SameHash(a, b); }

  void Emit(std::optional<Value> before, std::optional<Value> after) {
    out_.emplace_back(Path(path_), std::move(before), std::move(after));
  }

  void CompareMembers(Members a, Members b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      const int order = i == a.size() ? 1 : j == b.size() ? -1 : CompareText(a[i].name, b[j].name);
      if (order == 0) {
        CompareChild(a[i].name, a[i].value, b[j].value);
      } else {
        path_.emplace_back(order < 0 ? a[i].name : b[j].name);
        order < 0 ? Emit(a[i].value, std::nullopt) : Added(b[j].value);
        path_.pop_back();
      }
      i += order <= 0 ? 1 : 0;
      j += order >= 0 ? 1 : 0;
    }
  }

  void CompareChild(PathStep step, const Value& a, const Value& b) {
    if (Same(a, b)) return;
    path_.push_back(std::move(step));
    Compare(a, b);
    path_.pop_back();
  }

  void CompareItems(Items a, Items b) {
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < common; ++i) {
      if (!Same(a[i], b[i])) {
        CompareChild(PathStep::Index(static_cast<std::uint32_t>(i)), a[i], b[i]);
      }
    }
    for (std::size_t i = a.size(); i > common; --i) {
      path_.push_back(PathStep::Index(static_cast<std::uint32_t>(i - 1)));
      Emit(a[i - 1], std::nullopt);
      path_.pop_back();
    }
    for (std::size_t i = common; i < b.size(); ++i) {
      path_.push_back(PathStep::Index(static_cast<std::uint32_t>(i)));
      Added(b[i]);
      path_.pop_back();
    }
  }

  std::vector<Change>& out_;
  std::vector<PathStep> path_;
};

}  // namespace

std::vector<Change> Diff(const Value& before, const Value& after) {
  std::vector<Change> changes;
  if (before.SameTree(after)) return changes;
  Differ differ(&changes);
  if (before.is_null()) {
    differ.Added(after);
  } else if (after.is_null()) {
    changes.emplace_back(Path(), before, std::nullopt);
  } else {
    differ.Compare(before, after);
  }
  return changes;
}

Value Apply(Value tree, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    tree = change.after ? std::move(tree).Set(change.path, *change.after) : tree.Erase(change.path);
  }
  return tree;
}

}  // namespace ksim::value
