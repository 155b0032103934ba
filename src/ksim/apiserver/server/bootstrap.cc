#include "ksim/apiserver/server/bootstrap.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/apiserver/rbac/bootstrap_policy.h"

namespace ksim::apiserver {

namespace {

constexpr std::array<std::string_view, 4> kSystemNamespaces = {"kube-system", "kube-public",
                                                               "kube-node-lease", "default"};

}  // namespace

sim::Task<void> Bootstrap::CreateSystemNamespaces() {
  for (const std::string_view ns : kSystemNamespaces) co_await CreateNamespace(std::string(ns));
}

sim::Task<void> Bootstrap::CreateNamespace(std::string ns) {
  using value::Value;
  return Create(value::Obj({{"apiVersion", Value::Of("v1")},
                            {"kind", Value::Of("Namespace")},
                            {"metadata", value::Obj({{"name", Value::Of(ns)}})}}));
}

sim::Task<void> Bootstrap::CreatePolicy() {
  const std::vector<value::Value> objects = rbac::BootstrapPolicy(profile_);
  for (const value::Value& object : objects) co_await Create(object);
}

sim::Task<void> Bootstrap::Create(value::Value object) {
  const api::ResourceInfo* resource =
      kinds_.ByKind(object.Get("apiVersion").AsString(), object.Get("kind").AsString());
  const value::Value& metadata = object.Get("metadata");
  const SharedText ns(metadata.Get("namespace").AsString());
  CacheDelegator& storage = resources_.StorageFor(*resource);
  if (!storage.Suggestion(ns, metadata.Get("name").AsString()).empty()) co_return;
  api::Request request;
  request.verb = api::Verb::kCreate;
  request.resource = resource;
  request.ns = ns;
  request.body = object;
  // 409 AlreadyExists: another server was faster.
  co_await server_.Do(std::move(request));
}

}  // namespace ksim::apiserver
