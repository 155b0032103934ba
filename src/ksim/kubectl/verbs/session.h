// Session: the requests that kubectl's verbs have in common, sent as the actor `kubectl`.
#pragma once
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/request.h"
#include "ksim/client/client.h"
#include "ksim/kubectl/profile.h"
#include "ksim/kubectl/verbs/command_output.h"
#include "ksim/kubectl/verbs/options.h"
#include "ksim/sim/task.h"

namespace ksim::kubectl {

class Session {
 public:
  using Info = const api::ResourceInfo*;

  // `connection` is that of the process kubectl, and outlives the session. `as`: in whose name it
  // asks; "" is kubernetes-admin.
  explicit Session(client::Connection& connection, std::string as = {});

  client::Environment& env() const { return env_; }
  client::Client& client() { return client_; }
  const Profile& profile() const { return profile_; }

  // Sends the request. A refused connection names the server, for ErrorText.
  sim::Task<api::Response> Send(api::Request request);
  // The object, or the answer of its namespace if that is what is missing.
  sim::Task<api::Response> GetNamed(Info info, std::string ns, std::string name);
  sim::Task<api::Response> Patch(Info info, std::string ns, std::string name, value::Value patch,
                                 api::PatchType type, std::string subresource, std::string manager);
  // The target's objects, as the items of the answer.
  sim::Task<api::Response> FindTargets(Info info, Target target);

  // After a CustomResourceDefinition has been created or changed: waits until it is established, as
  // `kubectl wait --for=condition=Established` does, for 30 s at most. Else the user's next command
  // might come before the server knows the kind. Does nothing for any other kind.
  sim::Task<void> AwaitDefinition(Info info, std::string name);

  // Null if the server has no such type.
  Info ResourceOf(const Target& target) const;
  // The resource of a manifest's object; null, and an error in `output`, if the API has none.
  Info ResourceOfManifest(const value::Value& object, CommandOutput* output) const;

 private:
  client::Environment& env_;
  client::Client client_;
  const Profile& profile_;
};

// A request about one object or, without a name, its resource.
api::Request RequestFor(api::Verb verb, const api::ResourceInfo* info, std::string_view ns,
                        std::string_view name);

// The manifest's object: in the namespace `default` if it names none, and in no namespace if its
// kind has none (cli-runtime pkg/resource/visitor.go SetNamespace, FilterNamespace).
api::Object ObjectOfManifest(const api::ResourceInfo& info, value::Value manifest);

// True if the server has not done what it was asked, or nobody knows.
inline bool HasFailed(const api::Response& response) {
  return response.code >= 400 || response.code == 0;
}

}  // namespace ksim::kubectl
