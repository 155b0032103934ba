#include "ksim/apiserver/doors/http/component_statuses.h"

#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/answers.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

constexpr std::string_view kComponents[] = {"scheduler", "controller-manager", "etcd-0"};

value::ObjectBuilder ComponentTree(std::string_view name) {
  value::ObjectBuilder tree;
  tree.Add("metadata", value::Obj({{"name", Value::Of(name)}, {"creationTimestamp", Value()}}));
  tree.Add("conditions", Value::Array({value::Obj({{"type", Value::Of("Healthy")},
                                                   {"status", Value::Of("True")},
                                                   {"message", Value::Of("ok")}})}));
  return tree;
}

Value ListTree() {
  std::vector<Value> items;
  for (const std::string_view name : kComponents) items.push_back(ComponentTree(name).Build());
  return value::Obj({{"kind", Value::Of("ComponentStatusList")},
                     {"apiVersion", Value::Of("v1")},
                     {"metadata", Value::EmptyObject()},
                     {"items", Value::Array(std::move(items))}});
}

// Null for a component that there is not.
Value OneTree(std::string_view wanted) {
  for (const std::string_view name : kComponents) {
    if (name != wanted) continue;
    value::ObjectBuilder tree = ComponentTree(name);
    tree.Add("kind", Value::Of("ComponentStatus")).Add("apiVersion", Value::Of("v1"));
    return tree.Build();
  }
  return Value();
}

}  // namespace

std::optional<HttpResponse> ServeComponentStatus(const HttpRequest& http, const Url& url,
                                                 const RequestInfo& info) {
  if (info.api_prefix != "api" || info.api_version != "v1" || info.resource != "componentstatuses")
    return std::nullopt;
  if (!info.ns.empty() || !info.subresource.empty())
    return StatusResponse(api::UnknownPath(), nullptr);
  if (info.verb != "get" && info.verb != "list") {
    api::Status status =
        api::Unmapped(405, "the server does not allow this method on the requested resource");
    status.reason = "MethodNotAllowed";
    return StatusResponse(status, nullptr);
  }
  const auto output =
      NegotiateOutput(http, url.query, BuiltinMediaTypes(), Transforms::kNone, false);
  if (!output.ok()) return StatusResponse(output.status(), nullptr);
  const Value tree = info.name.empty() ? ListTree() : OneTree(info.name);
  HttpResponse response =
      tree.is_null() ? StatusResponse(api::NotFound({"", "componentstatus"}, info.name), &*output)
                     : HttpResponse();
  if (!tree.is_null()) {
    response.headers.Add("Cache-Control", "no-cache, private");
    response.headers.Add("Content-Type", output->media->text());
    response.body = Encode(tree, output->media->encoding, output->pretty);
  }
  response.headers.Add("Warning", "299 - \"v1 ComponentStatus is deprecated in v1.19+\"");
  return response;
}

}  // namespace ksim::apiserver::http
