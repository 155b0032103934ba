// Part of registry.h: the addresses and ports of Services.
#include <fmt/format.h>

#include <utility>

#include "ksim/apiserver/registry/registry.h"
#include "ksim/apiserver/registry/service_allocations.h"

namespace ksim::apiserver {

using value::Value;

api::Result<Value> Registry::AllocateForService(RequestContext& rc, Value tree, const Value& old) {
  const api::ResourceInfo& r = rc.resource();
  if (!r.group.empty() || r.resource != "services" || context_.services == nullptr) return tree;
  const Value& metadata = tree.Get("metadata");
  const std::string_view ns = metadata.Get("namespace").AsString();
  const std::string_view name = metadata.Get("name").AsString();
  ServiceAllocations::Request request;
  request.service = fmt::format("{}/{}", ns, name);
  request.identity = old.is_null() ? rc.identity : context_.identities.Of(r.known_as(), ns, name);
  request.compat = context_.compat;
  request.dry_run = rc.write().dry_run;
  return context_.services->Allocate(request, std::move(tree), old);
}

void Registry::ForgetAllocations(std::string_view ns, std::string_view name) const {
  const api::ResourceInfo& r = storage_.storage().resource();
  if (!r.group.empty() || r.resource != "services" || context_.services == nullptr) return;
  context_.services->Forget(fmt::format("{}/{}", ns, name));
}

}  // namespace ksim::apiserver
