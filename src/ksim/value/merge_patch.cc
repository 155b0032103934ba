// Implements the JSON merge patches of patch.h.
#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/value/atom.h"
#include "ksim/value/node.h"
#include "ksim/value/patch.h"

namespace ksim::value {
namespace {

// Upstream: jsonmergepatch.keepOrDeleteNullInObj. The part of a merge patch that deletes, and the
// part that adds and changes.
Value Deletions(const Value& patch) {
  ObjectBuilder out;
  for (const Value::Member& m : patch.members()) {
    const Value kept = m.value.is_object() ? Deletions(m.value) : Value();
    out.AddIf(m.value.is_null() || !kept.empty(), m.name.text(), kept);
  }
  return out.Build();
}

Value Additions(const Value& patch) {
  ObjectBuilder out;
  for (const Value::Member& m : patch.members()) {
    if (m.value.is_null()) continue;
    if (!m.value.is_object() || m.value.empty()) {
      out.Add(m.name.text(), m.value);
      continue;
    }
    const Value kept = Additions(m.value);
    out.AddIf(!kept.empty(), m.name.text(), kept);
  }
  return out.Build();
}

// Upstream: evanphx/json-patch pruneNulls. The value that a merge patch puts where nothing was: it
// loses the null fields of its objects, even of those in arrays, which RFC 7386 would keep.
Value Pruned(const Value& v) {
  if (v.is_array()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(Pruned(item));
    return Value::Array(std::move(items));
  }
  if (!v.is_object()) return v;
  ObjectBuilder out;
  for (const Value::Member& m : v.members())
    out.AddIf(!m.value.is_null(), m.name.text(), Pruned(m.value));
  return out.Build();
}

}  // namespace

// Upstream: evanphx/json-patch MergePatch. An array in the place of an object keeps its nulls.
Value ApplyMergePatch(const Value& target, const Value& patch) {
  if (!target.is_object()) return Pruned(patch);
  if (!patch.is_object()) return patch;
  Value out = target;
  for (const Value::Member& m : patch.members()) {
    if (m.value.is_null()) {
      out = out.Erase(Path{m.name});
    } else {
      out = std::move(out).Set(m.name, ApplyMergePatch(target.Get(m.name), m.value));
    }
  }
  return out;
}

Value CreateMergePatch(const Value& original, const Value& modified) {
  if (!original.is_object() || !modified.is_object()) return modified;
  ObjectBuilder patch;
  for (const Value::Member& m : modified.members()) {
    const Value* before = original.Find(m.name);
    if (before != nullptr && (before->SameTree(m.value) || *before == m.value)) continue;
    const bool both = before != nullptr && before->is_object() && m.value.is_object();
    patch.Add(m.name.text(), both ? CreateMergePatch(*before, m.value) : m.value);
  }
  for (const Value::Member& m : original.members()) {
    patch.AddIf(modified.Find(m.name) == nullptr, m.name.text(), Value());
  }
  return patch.Build();
}

Value CreateThreeWayJsonMergePatch(const Value& original, const Value& modified,
                                   const Value& current) {
  return ApplyMergePatch(Deletions(CreateMergePatch(original, modified)),
                         Additions(CreateMergePatch(current, modified)));
}

}  // namespace ksim::value
