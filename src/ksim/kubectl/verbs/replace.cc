// kubectl replace.
//
// Source: kubectl pkg/cmd/replace/replace.go; cli-runtime pkg/resource/helper.go Helper.Replace.
#include <fmt/format.h>

#include "ksim/kubectl/printing/object_name.h"
#include "ksim/kubectl/verbs/messages.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {

// Without a version of its own the object takes that of the server's, if there is one, so that the
// PUT is unconditional in effect.
sim::Task<CommandOutput> Replace(Session& session, const ReplaceOptions& options) {
  static const value::Path kVersion{"metadata", "resourceVersion"};
  CommandOutput output;
  for (const value::Value& manifest : options.manifests) {
    Session::Info info = session.ResourceOfManifest(manifest, &output);
    if (info == nullptr) co_return output;
    const api::Object object = ObjectOfManifest(*info, manifest);
    const std::string ns(object.ns()), name(object.name());
    api::Request put = RequestFor(api::Verb::kUpdate, info, ns, name);
    put.body = object.tree();
    put.field_manager = "kubectl-replace";
    put.field_validation = "Strict";
    const value::Value version = manifest.Get(kVersion);
    if (version.AsString().empty()) {
      api::Request get = RequestFor(api::Verb::kGet, info, ns, name);
      const api::Response current = co_await session.Send(std::move(get));
      if (current.code == 200)
        put.body = object.WithResourceVersion(current.object.resource_version()).ToTree();
    } else {
      put.body = put.body.Set(kVersion, version);
    }
    const api::Response response = co_await session.Send(std::move(put));
    AddWarnings(response, &output);
    if (HasFailed(response)) {
      output.error = ErrorText(response, "replacing");
      co_return output;
    }
    output.lines.push_back(SlashedName(*info, name) + " replaced");
  }
  co_return output;
}

}  // namespace ksim::kubectl
