#include "ksim/controllers/common/finalizers.h"

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

const Path& FinalizersPath() {
  static const Path path{"metadata", "finalizers"};
  return path;
}

}  // namespace

bool HasFinalizer(const api::Object& object, std::string_view finalizer) {
  for (const Value& one : object.metadata().Get(api::Fields().finalizers).items())
    if (one.AsString() == finalizer) return true;
  return false;
}

bool WaitsForFinalizer(const api::Object& object, std::string_view finalizer) {
  return object.deleting() && HasFinalizer(object, finalizer);
}

bool NeedsFinalizer(const api::Object& object, std::string_view finalizer) {
  return !object.deleting() && !HasFinalizer(object, finalizer);
}

api::Object WithFinalizer(const api::Object& object, std::string_view finalizer) {
  Value all = object.Get(FinalizersPath()).Append(Value::String(finalizer));
  return api::Object::FromTree(object.tree().Set(FinalizersPath(), std::move(all)),
                               object.resource_version());
}

api::Object WithoutFinalizer(const api::Object& object, std::string_view finalizer) {
  std::vector<Value> left;
  for (const std::string& one : object.finalizers())
    if (one != finalizer) left.push_back(Value::Of(one));
  const bool none = left.empty();
  Value tree = none ? object.tree().Erase(FinalizersPath())
                    : object.tree().Set(FinalizersPath(), Value::Array(std::move(left)));
  return api::Object::FromTree(std::move(tree), object.resource_version());
}

}  // namespace ksim::controllers
