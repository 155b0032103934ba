// The readers of jq expressions and Go templates survive any text, and say where in it a problem
// is; what they accept runs on a pod.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ksim/kubelet/stages/jq.h"
#include "ksim/kubelet/stages/template.h"
#include "ksim/value/json.h"

namespace {

const ksim::value::Value& Pod() {
  static const ksim::value::Value pod = *ksim::value::ParseJson(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default",
          "labels":{"app":"x"},"creationTimestamp":"2025-01-01T00:00:00Z"},
          "spec":{"nodeName":"n1","containers":[{"name":"c","image":"nginx"},{"name":"d"}]},
          "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],
          "containerStatuses":[{"name":"c","restartCount":2}]}})");
  return pod;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ksim::kubelet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TextProblem problem;
  Jq jq;
  if (Jq::Parse(text, &jq, &problem)) {
    (void)jq.Run(Pod());
    (void)jq.IsOfIdentity();
  } else if (problem.message.empty() || problem.offset > size) {
    std::abort();
  }
  TemplateWorld world;
  world.now = world.start_time = "2025-01-01T00:00:00Z";
  world.node_ip = "10.0.0.1";
  world.pod_ip = [] { return std::string("10.244.0.2"); };
  problem = TextProblem();
  Template parsed;
  if (Template::Parse(text, &parsed, &problem)) {
    (void)parsed.Render(Pod(), world);
  } else if (problem.message.empty() || problem.offset > size) {
    std::abort();
  }
  return 0;
}
