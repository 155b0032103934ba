// kubectl cordon and uncordon.
//
// Source: kubectl pkg/drain/cordon.go.
#include <fmt/format.h>

#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {

sim::Task<CommandOutput> Cordon(Session& session, const CordonOptions& options) {
  CommandOutput output;
  Session::Info info = session.env().kinds.ByName("nodes");
  api::Request get = RequestFor(api::Verb::kGet, info, "", options.node);
  const api::Response node = co_await session.Send(std::move(get));
  if (node.code != 200) {
    output.error = ErrorText(node);
    co_return output;
  }
  const std::string done = options.cordon ? "cordoned" : "uncordoned";
  if (node.object.spec().Get("unschedulable").AsBool() == options.cordon) {
    output.lines.push_back(fmt::format("node/{} already {}", options.node, done));
    co_return output;
  }
  const value::Value unschedulable = options.cordon ? value::Value::Of(true) : value::Value();
  const value::Value patch = value::Obj({{"spec", value::Obj({{"unschedulable", unschedulable}})}});
  const api::Response after = co_await session.Patch(
      info, "", options.node, patch, api::PatchType::kStrategic, "", "kubectl-cordon");
  if (HasFailed(after))
    output.error = ErrorText(after);
  else
    output.lines.push_back(fmt::format("node/{} {}", options.node, done));
  co_return output;
}

}  // namespace ksim::kubectl
