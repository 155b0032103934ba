#include "ksim/apiserver/core/object_converter.h"

#include <utility>

#include "ksim/api/core/definition.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/structural/custom_resource.h"
#include "ksim/apiserver/core/event_conversion.h"

namespace ksim::apiserver {
namespace {

using value::Value;

const std::string& StoredVersion(const api::ResourceInfo& r) {
  return r.stored_version.empty() ? r.version : r.stored_version;
}

bool HasVersion(const Value& tree, std::string_view version) {
  const std::string_view has = tree.Get(api::Fields().api_version).AsString();
  return has.substr(has.find('/') + 1) == version;
}

}  // namespace

bool IsConvertedByWebhook(const api::ResourceInfo& r) {
  return r.definition != nullptr &&
         r.definition->conversion.Get("strategy").AsString() == "Webhook";
}

bool AsksToStore(const api::ResourceInfo& r, const Value& tree) {
  return IsConvertedByWebhook(r) && !HasVersion(tree, StoredVersion(r));
}

bool AsksToServe(const api::ResourceInfo& r, const Value& tree) {
  return IsConvertedByWebhook(r) && !HasVersion(tree, r.version);
}

sim::Task<api::Result<Value>> StoredByWebhook(ObjectConverter& converter,
                                              const api::ResourceInfo& r, Value tree) {
  api::Result<Value> stored = co_await converter.Convert(r, std::move(tree), StoredVersion(r));
  if (stored.ok()) *stored = api::PrunedForStore(r, *stored);
  co_return stored;
}

// The defaults are those of the version at which the object is stored; what the webhook gives is
// pruned, and gets none.
sim::Task<api::Result<Value>> ServedByWebhook(ObjectConverter& converter,
                                              const api::ResourceInfo& r, Value tree) {
  tree = api::WithStoredDefaults(r, tree);
  api::Result<Value> served = co_await converter.Convert(r, std::move(tree), r.version);
  if (served.ok()) *served = api::PrunedBySchemaOf(r, *served);
  co_return served;
}

}  // namespace ksim::apiserver
