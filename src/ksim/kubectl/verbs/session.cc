#include "ksim/kubectl/verbs/session.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/kind_service.h"
#include "ksim/kubectl/arguments/resource_argument.h"

namespace ksim::kubectl {
namespace {

client::ClientOptions KubectlOptions(std::string as) {
  client::ClientOptions options;
  options.user = as.empty() ? "kubernetes-admin" : std::move(as);
  options.qps = 50;
  options.burst = 300;
  return options;
}

}  // namespace

Session::Session(client::Connection& connection, std::string as)
    : env_(connection.env()),
      client_(connection, connection.process().actor(), KubectlOptions(std::move(as))),
      profile_(ProfileOf(env_.compat)) {}

sim::Task<api::Response> Session::Send(api::Request request) {
  api::Response response = co_await client_.Do(std::move(request));
  if (api::IsConnectionRefused(response.status))
    response.status.details->name = fmt::format("{}:6443", client_.connection().server().name());
  co_return response;
}

// cli-runtime pkg/resource/visitor.go Info.Get.
sim::Task<api::Response> Session::GetNamed(Info info, std::string ns, std::string name) {
  api::Request get = RequestFor(api::Verb::kGet, info, ns, name);
  api::Response response = co_await Send(std::move(get));
  if (response.code != 404 || !info->namespaced || ns == "default") co_return response;
  api::Request get_namespace = RequestFor(api::Verb::kGet, env_.kinds.ByName("namespaces"), "", ns);
  api::Response found = co_await Send(std::move(get_namespace));
  if (found.code == 404) co_return found;
  co_return response;
}

sim::Task<api::Response> Session::Patch(Info info, std::string ns, std::string name,
                                        value::Value patch, api::PatchType type,
                                        std::string subresource, std::string manager) {
  api::Request request = RequestFor(api::Verb::kPatch, info, ns, name);
  request.subresource = subresource;
  request.body = std::move(patch);
  request.patch_type = type;
  request.field_manager = manager;
  co_return co_await Send(std::move(request));
}

sim::Task<api::Response> Session::FindTargets(Info info, Target target) {
  if (target.name.empty()) {
    api::Request request = RequestFor(api::Verb::kList, info, target.ns, "");
    request.list.label_selector = target.selector;
    request.list.limit = 500;
    co_return co_await Send(std::move(request));
  }
  api::Response response = co_await GetNamed(info, target.ns, target.name);
  if (response.code == 200) response.items.push_back(response.object);
  co_return response;
}

Session::Info Session::ResourceOf(const Target& target) const {
  return ResourceOfArgument(env_.kinds, target.resource, env_.compat);
}

Session::Info Session::ResourceOfManifest(const value::Value& object, CommandOutput* output) const {
  const std::string_view version = object.Get("apiVersion").AsString();
  const std::string_view kind = object.Get("kind").AsString();
  Info info = env_.kinds.ByKind(version, kind);
  if (info != nullptr && !api::IsServed(*info, env_.compat)) info = nullptr;
  if (info == nullptr)
    output->error =
        fmt::format("error: no matches for kind \"{}\" in version \"{}\"", kind, version);
  return info;
}

api::Request RequestFor(api::Verb verb, const api::ResourceInfo* info, std::string_view ns,
                        std::string_view name) {
  api::Request r;
  r.verb = verb;
  r.resource = info;
  r.ns = info->namespaced ? ns : std::string_view();
  r.name = name;
  return r;
}

api::Object ObjectOfManifest(const api::ResourceInfo& info, value::Value manifest) {
  static const value::Path kNamespace{"metadata", "namespace"};
  if (!info.namespaced) {
    manifest = manifest.Erase(kNamespace);
  } else if (manifest.Get(kNamespace).is_null()) {
    manifest = manifest.Set(kNamespace, value::Value::Of("default"));
  }
  return api::Object::FromTree(std::move(manifest));
}

namespace {

constexpr Duration kDefinitionPoll = Milliseconds(100);
constexpr int kDefinitionPolls = 300;

bool IsEstablished(const api::Object& definition) {
  for (const value::Value& condition : definition.status().Get("conditions").items())
    if (condition.Get("type").AsString() == "Established")
      return condition.Get("status").AsString() == "True";
  return false;
}

}  // namespace

sim::Task<void> Session::AwaitDefinition(Info info, std::string name) {
  if (info->group_resource() != "customresourcedefinitions.apiextensions.k8s.io") co_return;
  for (int i = 0; i < kDefinitionPolls; ++i) {
    const api::Response found = co_await GetNamed(info, "", name);
    if (found.code == 200 && IsEstablished(found.object)) co_return;
    co_await env_.sim.Sleep(kDefinitionPoll);
  }
}

}  // namespace ksim::kubectl
