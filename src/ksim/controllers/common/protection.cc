#include "ksim/controllers/common/protection.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

const Path& FinalizersPath() {
  static const Path path{"metadata", "finalizers"};
  return path;
}

bool CarriesFinalizer(const api::Object& object, std::string_view finalizer) {
  const std::vector<std::string> all = object.finalizers();
  return std::find(all.begin(), all.end(), finalizer) != all.end();
}

}  // namespace

bool WaitsForFinalizer(const api::Object& object, std::string_view finalizer) {
  return object.deleting() && CarriesFinalizer(object, finalizer);
}

bool NeedsFinalizer(const api::Object& object, std::string_view finalizer) {
  return !object.deleting() && !CarriesFinalizer(object, finalizer);
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
