#include "ksim/apiserver/server/bootstrap.h"

#include <array>
#include <string_view>
#include <utility>

#include "ksim/apiserver/core/audit_event.h"

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
  request.actor = process_.actor();
  request.client = process_.name();
  request.user = "system:apiserver";
  request.verb = api::Verb::kCreate;
  request.resource = namespaces;
  request.event = process_.simulation().context().cause;
  using value::Value;
  request.body = value::Obj({{"apiVersion", Value::Of("v1")},
                             {"kind", Value::Of("Namespace")},
                             {"metadata", value::Obj({{"name", Value::Of(ns)}})}});
  RequestContext rc(process_, std::move(request));
  const api::Status admitted = handler_.Admit(rc);
  if (!admitted.ok()) co_return;
  // 409 AlreadyExists: another server was faster.
  const api::Response response = co_await handler_.Handle(rc);
  Audit(audit_, AuditStage::kResponseComplete, rc, &response);
}

}  // namespace ksim::apiserver
