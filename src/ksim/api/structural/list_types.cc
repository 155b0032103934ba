#include "ksim/api/structural/list_types.h"

#include <map>
#include <string>
#include <vector>

#include "ksim/api/structural/field_place.h"
#include "ksim/api/structural/findings.h"
#include "ksim/value/json.h"

namespace ksim::api {

using value::Value;

namespace {

// The places of what occurs for the second time (validateListSet).
std::vector<std::size_t> RepeatedPlaces(const std::vector<Value>& items) {
  std::map<std::string, int> seen;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (++seen[value::ToJson(items[i])] == 2) out.push_back(i);
  return out;
}

// The keys of an item of a list of type map, as far as it has them.
Value KeysOf(const Value& item, const std::vector<value::Atom>& names) {
  value::ObjectBuilder keys;
  for (const value::Atom name : names)
    if (const Value* key = item.Find(name)) keys.Add(name, *key);
  return keys.Build();
}

class ListWalk {
 public:
  explicit ListWalk(FieldErrorList* errors) : errors_(errors) {}

  void Walk(const SchemaNode& s, const Value& v, const FieldPath* at) {
    if (!s.any_list_type) return;
    if (v.is_array()) CheckList(s, v, *at);
    VisitBelow(s, v, at,
               [this](const SchemaNode& below, const Value& member, const FieldPath& path) {
                 Walk(below, member, &path);
               });
  }

 private:
  void CheckList(const SchemaNode& s, const Value& v, const FieldPath& at) {
    if (s.list_type == SchemaNode::ListType::kAtomic) return;
    const bool map = s.list_type == SchemaNode::ListType::kMap;
    std::vector<Value> items;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const Value& item = v.at(i);
      if (map && !item.is_null() && !item.is_object())
        return errors_->Add("FieldValueInvalid",
                            "Invalid value: " + ShownValue(item, errors_->compat()) +
                                ": must be an object for an array of list-type map",
                            at.Index(i).ToString());
      items.push_back(map ? KeysOf(item, s.list_keys) : item);
    }
    for (const std::size_t i : RepeatedPlaces(items))
      errors_->Add("FieldValueDuplicate",
                   "Duplicate value: " + ShownValue(items[i], errors_->compat()),
                   at.Index(i).ToString());
  }

  FieldErrorList* errors_;
};

}  // namespace

void ValidateListTypes(const SchemaNode& schema, const Value& object, FieldErrorList* errors) {
  ListWalk(errors).Walk(schema, object, nullptr);
}

}  // namespace ksim::api
