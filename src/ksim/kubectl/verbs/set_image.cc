// kubectl set image.
//
// Source: kubectl pkg/cmd/set/set_image.go.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {
namespace {

using value::Value;

// The containers of a list whose image changes, as a strategic merge patch of the pod's spec has
// them; null if there is none. `found` counts how often each of the pairs matches.
void AddContainers(const Value& pod_spec, const char* list, const SetImageOptions& options,
                   std::vector<int>* found, value::ObjectBuilder* patch) {
  std::vector<Value> order, changed;
  for (const Value& container : pod_spec.Get(list).items()) {
    const Value& name = container.Get("name");
    order.push_back(value::Obj({{"name", name}}));
    Value image = container.Get("image");
    for (std::size_t i = 0; i < options.images.size(); ++i) {
      const auto& [wanted, text] = options.images[i];
      if (wanted != "*" && wanted != name.AsString()) continue;
      ++(*found)[i];
      image = Value::String(text);
    }
    if (image != container.Get("image"))
      changed.push_back(value::Obj({{"image", image}, {"name", name}}));
  }
  if (changed.empty()) return;
  patch->Add(fmt::format("$setElementOrder/{}", list), Value::Array(std::move(order)));
  patch->Add(list, Value::Array(std::move(changed)));
}

}  // namespace

sim::Task<CommandOutput> SetImage(Session& session, const SetImageOptions& options) {
  static const value::Path kTemplateSpec{"template", "spec"};
  const Target& target = options.target;
  CommandOutput output;
  Session::Info info = session.ResourceOf(target);
  const api::Response before = co_await session.GetNamed(info, target.ns, target.name);
  if (before.code != 200) {
    output.error = ErrorText(before);
    co_return output;
  }
  const bool is_pod = info->kind == "Pod";
  const Value& spec = before.object.spec();
  const Value pod_spec = is_pod ? spec : spec.Get(kTemplateSpec);
  std::vector<int> found(options.images.size(), 0);
  value::ObjectBuilder builder;
  AddContainers(pod_spec, "initContainers", options, &found, &builder);
  AddContainers(pod_spec, "containers", options, &found, &builder);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == 0 && output.ok())
      output.error =
          fmt::format("error: unable to find container named \"{}\"", options.images[i].first);
  }
  const Value changes = builder.Build();
  if (changes.empty()) co_return output;
  const Value patch =
      value::Obj({{"spec", is_pod ? changes : Value::EmptyObject().Set(kTemplateSpec, changes)}});
  const api::Response after = co_await session.Patch(info, target.ns, target.name, patch,
                                                     api::PatchType::kStrategic, "", "kubectl-set");
  AddWarnings(after, &output);
  if (HasFailed(after)) {
    output.error = ErrorText(after);
    co_return output;
  }
  output.lines.push_back(SlashedName(*info, target.name) + " image updated");
  co_return output;
}

}  // namespace ksim::kubectl
