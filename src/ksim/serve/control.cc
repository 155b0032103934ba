#include "ksim/serve/control.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/value/json.h"

namespace ksim::serve {
namespace {

namespace http = apiserver::http;
using value::Value;

constexpr std::string_view kPrefix = "/ksim/v1/";
constexpr Duration kLongestStep = Hours(24 * 365);

http::HttpResponse Json(int code, const Value& tree) {
  http::HttpResponse response;
  response.code = code;
  response.headers.Add("Content-Type", "application/json");
  response.headers.Add("Cache-Control", "no-store");
  response.body = value::ToPrettyJson(tree, 2) + "\n";
  return response;
}

http::HttpResponse Error(int code, std::string_view message) {
  return Json(code, value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                                {"kind", Value::Of("Error")},
                                {"error", Value::Of(message)}}));
}

// The field of the body, which is a JSON object; "" if it has none.
std::string FieldOf(const http::HttpRequest& request, std::string_view name) {
  const auto body = value::ParseJson(request.body);
  return body.ok() ? std::string(body->Get(name).AsString()) : std::string();
}

}  // namespace

bool Control::IsControlPath(const http::Url& url) { return url.path.starts_with("/ksim/"); }

Value Control::Status() {
  ServedCluster& cluster = target_.cluster();
  scenario::World& world = cluster.runner().world();
  std::vector<Value> faults;
  for (const std::string& fault : cluster.runner().injector().DescribeInForce())
    faults.push_back(Value::Of(fault));
  const auto& findings = cluster.runner().checker().findings();
  return value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                     {"kind", Value::Of("ServeStatus")},
                     {"ksimVersion", Value::Of(Version())},
                     {"kubernetesVersion", Value::Of(api::ToString(scenario_.compat))},
                     {"scenario", Value::Of(scenario_.name)},
                     {"seed", Value::Of(static_cast<std::int64_t>(scenario_.seed))},
                     {"time", Value::Of(FormatDuration(cluster.now() - VirtualTime()))},
                     {"timeNs", Value::Of(cluster.now().ns())},
                     {"speed", Value::Of(ToString(target_.speed()))},
                     {"events", Value::Of(static_cast<std::int64_t>(world.sim().bus().last_seq()))},
                     {"faultsInForce", Value::Array(std::move(faults))},
                     {"violations", Value::Of(static_cast<std::int64_t>(findings.size()))}});
}

Value Control::Verdict() {
  std::vector<Value> violations;
  for (const check::Finding& finding : target_.cluster().runner().checker().findings())
    violations.push_back(trace::ToTree(finding.violation));
  return value::Obj({{"apiVersion", Value::Of("ksim.dev/v1")},
                     {"kind", Value::Of("ServeVerdict")},
                     {"result", Value::Of(violations.empty() ? "ok" : "violation")},
                     {"violations", Value::Array(std::move(violations))},
                     {"notSimulated", scenario::ToTree(target_.cluster().not_simulated())}});
}

Value Control::Snapshot() {
  std::vector<Value> items;
  for (const api::Object& object : target_.cluster().runner().world().Objects())
    items.push_back(object.ToTree());
  return value::Obj({{"apiVersion", Value::Of("v1")},
                     {"kind", Value::Of("List")},
                     {"items", Value::Array(std::move(items))}});
}

http::HttpResponse Control::Serve(const http::HttpRequest& request, const http::Url& url) {
  const std::string_view path = url.path;
  const std::string_view what =
      path.starts_with(kPrefix) ? path.substr(kPrefix.size()) : std::string_view();
  const bool reads = what == "status" || what == "verdict" || what == "snapshot";
  const bool acts = what == "step" || what == "run" || what == "inject" || what == "heal";
  if (!reads && !acts)
    return Error(404, fmt::format("there is no {}; there are {}status, verdict, snapshot, step, "
                                  "run, inject and heal",
                                  path, kPrefix));
  if (request.method != (reads ? "GET" : "POST"))
    return Error(405, fmt::format("{} takes {}", path, reads ? "GET" : "POST"));
  if (what == "status") return Json(200, Status());
  if (what == "verdict") return Json(200, Verdict());
  if (what == "snapshot") return Json(200, Snapshot());
  if (what == "step") {
    const std::string text = FieldOf(request, "for");
    const auto by = ParseDuration(text);
    if (!by.ok() || *by < Duration() || *by > kLongestStep)
      return Error(400,
                   fmt::format("\"{}\" is no duration to step by: {{\"for\": \"10s\"}}", text));
    if (target_.speed().kind != Speed::Kind::kStep)
      return Error(409, fmt::format("the clock runs by itself (speed {}): `ksim ctl run step` "
                                    "stops it, or POST {}run with {{\"speed\": \"step\"}}",
                                    ToString(target_.speed()), kPrefix));
    target_.Step(*by);
    return Json(200, Status());
  }
  if (what == "run") {
    const auto speed = ParseSpeed(FieldOf(request, "speed"));
    if (!speed.ok()) return Error(400, Message(speed.status()));
    target_.SetSpeed(*speed);
    return Json(200, Status());
  }
  Input input;
  input.what = what == "heal" ? Input::What::kHeal : Input::What::kFault;
  if (input.what == Input::What::kFault) {
    const auto spec = target_.cluster().ParseFault(request.body);
    if (!spec.ok()) return Error(400, Message(spec.status()));
    input.text = request.body;
  }
  const bool fault = input.what == Input::What::kFault;
  if (const std::string why = target_.Inject(std::move(input)); fault && !why.empty())
    return Error(404, fmt::format("nothing happens: {}", why));
  return Json(200, Status());
}

}  // namespace ksim::serve
