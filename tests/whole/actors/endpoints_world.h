// Services, pods with addresses and what endpoints controllers make of them, for
// the tests of each of these controllers.
#pragma once
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/whole/actors/actor_world.h"

namespace ksim {

template <class C>
void RunEndpointsController(ActorWorld* w, const char* part) {
  w->AddNode("n1");
  w->StartController(part, [](controllers::ControllerContext context) {
    return std::make_unique<C>(std::move(context));
  });
}

inline std::string ServiceJson(std::string_view name, std::string_view more_spec = {},
                               std::string_view labels = "{}") {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}","labels":{}}},"spec":{{
          "selector":{{"app":"web"}},"ports":[{{"port":80,"targetPort":8080}}]{}}}}})",
      name, labels, more_spec);
}

// A pod on n1 that runs at an address, ready or not.
inline void MakePodAt(ActorWorld* w, std::string_view name, std::string_view ip, bool ready = true,
                      std::string_view more_spec = {}) {
  w->Create("pods", PodJson(name, R"({"app":"web"})", {}, more_spec));
  w->Bind(name, "n1");
  w->Patch("pods", name,
           fmt::format(R"({{"status":{{"podIP":"{0}","podIPs":[{{"ip":"{0}"}}]}}}})", ip),
           "status");
  w->MakeReady(name, ready);
  w->Settle();
}

// "10.0.0.1 ready serving" of each endpoint of each slice of the Service, slices in name order.
inline std::vector<std::string> SliceLines(ActorWorld* w, std::string_view service = "web") {
  std::vector<std::string> lines;
  for (const api::Object& slice : w->List("endpointslices")) {
    if (slice.Label("kubernetes.io/service-name") != service) continue;
    for (const value::Value& endpoint : slice.tree().Get("endpoints").items()) {
      std::string line(endpoint.Get("addresses").at(0).AsString());
      for (const char* condition : {"ready", "serving", "terminating"})
        if (endpoint.Get("conditions").Get(condition).AsBool())
          line += std::string(" ") + condition;
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace ksim
