#include "ksim/api/structural/rules.h"

#include "ksim/api/structural/correlation.h"
#include "ksim/api/structural/field_place.h"

namespace ksim::api {

using value::Value;

namespace {

class RuleWalk {
 public:
  explicit RuleWalk(const std::function<void(const RuledNode&)>& judge) : judge_(judge) {}

  void Walk(const SchemaNode& s, const Value& v, const Value* old, const FieldPath* at) {
    if (!s.any_rule) return;
    if (!s.rules.empty() && !v.is_null())
      judge_(RuledNode{s, v, old, at, old != nullptr && *old == v});
    for (const Value::Member& m : v.members()) {
      const SchemaNode* const below = s.FieldNode(m.name);
      if (below == nullptr) continue;
      const FieldPath path =
          s.Find(m.name) != nullptr ? ChildOf(at, m.name.text()) : KeyOf(at, m.name.text());
      const bool apart = old == nullptr || s.atomic_map;
      Walk(*below, m.value, apart ? nullptr : CorrelatedField(s, m.name, *old), &path);
    }
    if (s.items == nullptr || !v.is_array()) return;
    const ItemCorrelation correlation(s, v, old);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const FieldPath path = at->Index(i);
      Walk(*s.items, v.at(i), correlation.OldOf(v.at(i)), &path);
    }
  }

 private:
  const std::function<void(const RuledNode&)>& judge_;
};

}  // namespace

void VisitRules(const SchemaNode& schema, const Value& object, const Value* old,
                const std::function<void(const RuledNode&)>& judge) {
  RuleWalk(judge).Walk(schema, object, old, nullptr);
}

}  // namespace ksim::api
