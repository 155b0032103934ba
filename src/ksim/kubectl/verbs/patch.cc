// kubectl patch.
//
// Source: kubectl pkg/cmd/patch/patch.go.
#include <fmt/format.h>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {
namespace {

// patch.go compares the objects. An object that goes with its last finalizer keeps its version.
bool IsUnchanged(const api::Object& before, const api::Object& after) {
  if (before.resource_version() != after.resource_version()) return false;
  return before.kind() != after.kind() || before.ToTree() == after.ToTree();
}

api::PatchType PatchTypeOf(const std::string& type) {
  if (type == "merge") return api::PatchType::kMerge;
  return type == "json" ? api::PatchType::kJson : api::PatchType::kStrategic;
}

}  // namespace

sim::Task<CommandOutput> Patch(Session& session, const PatchOptions& options) {
  const Target& target = options.target;
  CommandOutput output;
  Session::Info info = session.ResourceOf(target);
  const api::Response before = co_await session.GetNamed(info, target.ns, target.name);
  if (before.code != 200) {
    output.error = ErrorText(before);
    co_return output;
  }
  const api::PatchType type = PatchTypeOf(options.type);
  const api::Response after = co_await session.Patch(info, target.ns, target.name, options.patch,
                                                     type, options.subresource, "kubectl-patch");
  AddWarnings(after, &output);
  if (HasFailed(after)) {
    output.error = ErrorText(after);
    co_return output;
  }
  const bool same = IsUnchanged(before.object, after.object);
  // patch.go names the object of the answer.
  const std::string name = after.object.kind() == "Scale"
                               ? fmt::format("scale.autoscaling/{}", target.name)
                               : SlashedName(*info, target.name);
  output.lines.push_back(name + (same ? " patched (no change)" : " patched"));
  co_return output;
}

}  // namespace ksim::kubectl
