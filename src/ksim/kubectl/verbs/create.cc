// kubectl create.
//
// Source: kubectl pkg/cmd/create/create.go.
#include <fmt/format.h>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {

sim::Task<CommandOutput> Create(Session& session, const CreateOptions& options,
                                EarlierTries& tries) {
  CommandOutput output;
  for (const value::Value& manifest : options.manifests) {
    Session::Info info = session.ResourceOfManifest(manifest, &output);
    if (info == nullptr) co_return output;
    const api::Object object = ObjectOfManifest(*info, manifest);
    api::Request request = RequestFor(api::Verb::kCreate, info, object.ns(), "");
    request.body = object.tree();
    request.field_manager = "kubectl-create";
    request.field_validation = "Strict";
    const api::Response response = co_await session.Send(std::move(request));
    AddWarnings(response, &output);
    if (!tries.IsSettled(ObjectPath(*info, object.ns(), object.name()), response)) {
      output.error = ErrorText(response, "creating");
      co_return output;
    }
    const api::Object& made = response.object.empty() ? object : response.object;
    output.lines.push_back(SlashedName(*info, made.name()) + " created");
    co_await session.AwaitDefinition(info, std::string(made.name()));
  }
  co_return output;
}

}  // namespace ksim::kubectl
