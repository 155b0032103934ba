#include "ksim/api/core/response_body.h"

#include <string>
#include <utility>
#include <vector>

namespace ksim::api {

using value::Value;

bool IsStatusBody(const Response& response) {
  const Status& s = response.status;
  return response.code >= 400 ||
         (response.object.empty() && (!s.details->kind.empty() || !s.details->name.empty()));
}

Value ListBody(const ResourceInfo& r, const Response& list) {
  value::ObjectBuilder metadata;
  metadata.Add("resourceVersion", Value::Of(std::to_string(list.list_rv)));
  metadata.AddIf(!list.continue_token.empty(), "continue", Value::Of(list.continue_token));
  if (list.remaining_item_count)
    metadata.Add("remainingItemCount", Value::Of(*list.remaining_item_count));
  std::vector<Value> items;
  for (const Object& o : list.items) {
    Value item = o.ToTree();
    if (!r.custom) item = item.Erase("kind").Erase("apiVersion");
    items.push_back(std::move(item));
  }
  return value::Obj({{"kind", Value::Of(r.kind + "List")},
                     {"apiVersion", Value::Of(r.api_version())},
                     {"metadata", metadata.Build()},
                     {"items", Value::Array(std::move(items))}});
}

Value ResponseBody(const ResourceInfo& r, Verb verb, const Response& response) {
  if (IsStatusBody(response)) {
    // A registry's Success has no code, and only a creation's gets one (registry/store.go
    // finalizeDelete, endpoints/handlers/create.go).
    const value::Value status = response.status.ToTree();
    return verb == Verb::kDelete && response.code < 400 ? status.Erase("code") : status;
  }
  if (verb == Verb::kList || verb == Verb::kDeleteCollection) return ListBody(r, response);
  if (response.object.empty()) return response.status.ToTree();
  return response.object.ToTree();
}

}  // namespace ksim::api
