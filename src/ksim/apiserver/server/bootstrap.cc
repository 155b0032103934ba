#include "ksim/apiserver/server/bootstrap.h"

#include <array>
#include <string_view>
#include <utility>

namespace ksim::apiserver {

namespace {

constexpr std::array<std::string_view, 4> kSystemNamespaces = {"kube-system", "kube-public",
                                                               "kube-node-lease", "default"};

}  // namespace

sim::Task<void> Bootstrap::CreateSystemNamespaces() {
  for (const std::string_view ns : kSystemNamespaces) co_await CreateNamespace(std::string(ns));
}

sim::Task<void> Bootstrap::CreateNamespace(std::string ns) {
  const api::ResourceInfo* namespaces = kinds_.ByResource("", "namespaces");
  CacheDelegator& storage = resources_.StorageFor(*namespaces);
  if (!storage.Suggestion("", ns).empty()) co_return;
  api::Request request;
  request.verb = api::Verb::kCreate;
  request.resource = namespaces;
  using value::Value;
  request.body = value::Obj({{"apiVersion", Value::Of("v1")},
                             {"kind", Value::Of("Namespace")},
                             {"metadata", value::Obj({{"name", Value::Of(ns)}})}});
  // 409 AlreadyExists: another server was faster.
  co_await server_.Do(std::move(request));
}

}  // namespace ksim::apiserver
