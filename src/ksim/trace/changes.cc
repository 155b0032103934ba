#include "ksim/trace/changes.h"

#include "ksim/base/status.h"

namespace ksim::trace {

using value::Value;

Value ChangesToTree(const std::vector<value::Change>& changes) {
  static const value::Atom path("path"), old_value("old"), new_value("new");
  std::vector<Value> out;
  out.reserve(changes.size());
  for (const value::Change& c : changes) {
    std::vector<Value::Member> members;
    members.emplace_back(path, Value::String(c.path.ToString()));
    if (c.before) members.emplace_back(old_value, *c.before);
    if (c.after) members.emplace_back(new_value, *c.after);
    out.push_back(Value::Object(std::move(members)));
  }
  return Value::Array(std::move(out));
}

absl::StatusOr<std::vector<value::Change>> ChangesFromTree(const Value& list) {
  if (!list.is_array()) return absl::InvalidArgumentError("changed is not a list");
  std::vector<value::Change> out;
  for (const Value& item : list.items()) {
    value::Path path;
    if (!item.Get("path").empty() || item.Get("path").AsString() != "") {
      ASSIGN_OR_RETURN(path, value::Path::Parse(item.Get("path").AsString()));
    }
    value::Change change;
    change.path = std::move(path);
    if (item.Has("old")) change.before = item.Get("old");
    if (item.Has("new")) change.after = item.Get("new");
    out.push_back(std::move(change));
  }
  return out;
}

}  // namespace ksim::trace
