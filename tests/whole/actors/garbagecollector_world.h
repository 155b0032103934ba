// GarbageWorld: the garbage collector alone against real API servers. Owners and dependents are
// ConfigMaps, which nobody else acts on.
#pragma once
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "ksim/controllers/garbagecollector/garbage_collector.h"
#include "ksim/value/json.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {

struct GarbageWorld : ActorWorld {
  explicit GarbageWorld(const ActorWorldOptions& options = ActorWorldOptions())
      : ActorWorld(options) {}

  void StartCollector() {
    StartController("garbagecollector", [this](controllers::ControllerContext context) {
      auto made = std::make_unique<controllers::GarbageCollector>(std::move(context));
      collector = made.get();
      return made;
    });
  }

  // A reference to an object.
  static std::string RefTo(const api::Object& owner, bool blocks = false) {
    return RefTo(owner.api_version(), owner.kind(), owner.name(), owner.uid(), blocks);
  }
  static std::string RefTo(std::string_view api_version, std::string_view kind,
                           std::string_view name, std::string_view uid, bool blocks = false) {
    return fmt::format(R"({{"apiVersion":"{}","kind":"{}","name":"{}","uid":"{}"{}}})", api_version,
                       kind, name, uid, blocks ? R"(,"blockOwnerDeletion":true)" : "");
  }
  // A reference to a ConfigMap that never was.
  static std::string RefToNobody(std::string_view uid = "nobody") {
    return RefTo("v1", "ConfigMap", "nobody", uid);
  }

  api::Object Make(std::string_view name, std::string_view owners = "",
                   std::string_view finalizers = "") {
    return MakeIn("default", name, owners, finalizers);
  }
  api::Object MakeIn(std::string_view ns, std::string_view name, std::string_view owners = "",
                     std::string_view finalizers = "") {
    api::Request r = api.Request(api::Verb::kCreate, "configmaps", ns, "");
    r.body = apiserver::Json(
        fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"{}{}}}}})",
                    name, owners.empty() ? "" : fmt::format(R"(,"ownerReferences":[{}])", owners),
                    finalizers.empty() ? "" : fmt::format(R"(,"finalizers":[{}])", finalizers)));
    const api::Response made = Do(std::move(r));
    EXPECT_EQ(made.code, 201) << made.status.message;
    return made.object;
  }
  void MakeNamespace(std::string_view name) {
    Create("namespaces", fmt::format(R"({{"apiVersion":"v1","kind":"Namespace",)"
                                     R"("metadata":{{"name":"{}"}}}})",
                                     name));
  }
  // Deletes a ConfigMap as kubectl --cascade=POLICY does.
  void DeleteAs(std::string_view name, std::string_view policy) {
    api::DeleteOptions options;
    options.propagation_policy = policy;
    Delete("configmaps", name, options);
  }
  bool IsThere(std::string_view name) { return !Get("configmaps", name).empty(); }

  // The collector's requests since the last call, but lists, watches and Events: "get
  // configmaps/a", "delete configmaps/a Background uid rv", "patch configmaps/a {...}".
  std::vector<std::string> Asked() {
    std::vector<std::string> lines;
    for (std::size_t i = from(); i < events().size(); ++i) {
      if (events()[i].kind != sim::EventKind::kRequest) continue;
      const api::Request& r = events()[i].payload.As<client::RequestPayload>().request;
      if (r.client.str() != "garbagecollector" || r.resource->resource == "events") continue;
      if (r.verb == api::Verb::kList || r.verb == api::Verb::kWatch) continue;
      std::string line =
          fmt::format("{} {}/{}", api::ToString(r.verb), r.resource->resource, r.name.str());
      if (r.verb == api::Verb::kDelete) line += " " + r.del.propagation_policy.str();
      if (r.del.uid) line += " uid";
      if (r.del.resource_version) line += " rv";
      if (r.verb == api::Verb::kPatch) line += " " + value::ToJson(r.body);
      lines.push_back(std::move(line));
    }
    Forget();
    return lines;
  }

  controllers::GarbageCollector* collector = nullptr;
};

}  // namespace ksim
