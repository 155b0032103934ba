// kubectl scale.
//
// Source: kubectl pkg/scale/scale.go scaleSimple.
#include <fmt/format.h>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {

// Sends a merge patch of the scale subresource.
sim::Task<CommandOutput> Scale(Session& session, const ScaleOptions& options) {
  const Target& target = options.target;
  CommandOutput output;
  Session::Info info = session.ResourceOf(target);
  const api::Response before = co_await session.GetNamed(info, target.ns, target.name);
  if (before.code != 200) {
    output.error = ErrorText(before);
    co_return output;
  }
  const value::Value replicas = value::Value::Of(options.replicas);
  const value::Value patch = value::Obj({{"spec", value::Obj({{"replicas", replicas}})}});
  const api::Response after = co_await session.Patch(
      info, target.ns, target.name, patch, api::PatchType::kMerge, "scale", "kubectl-scale");
  if (HasFailed(after)) {
    output.error = ErrorText(after);
    co_return output;
  }
  output.lines.push_back(SlashedName(*info, target.name) + " scaled");
  co_return output;
}

}  // namespace ksim::kubectl
