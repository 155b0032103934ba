#include "ksim/serve/metrics.h"

#include <string>
#include <string_view>
#include <utility>

#include "world.h"

namespace ksim::serve {
namespace {

constexpr std::string_view kWidgets = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "PLURAL.GROUP"},
  "spec": {"group": "GROUP", "scope": "Namespaced",
    "names": {"plural": "PLURAL", "singular": "s", "kind": "Own"},
    "versions": [
      {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
        {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
      {"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema":
        {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})";

std::string Definition(const std::string& group, const std::string& plural) {
  std::string out(kWidgets);
  for (const auto& [word, text] : {std::pair("GROUP", group), std::pair("PLURAL", plural)})
    for (std::size_t at = out.find(word); at != out.npos; at = out.find(word))
      out.replace(at, std::string_view(word).size(), text);
  return out;
}

// CRD-27
TEST(Metrics, KindsWithOnePluralAreTwo) {
  Served served("  cluster: {nodes: 1, controllers: []}\n");
  served.Ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
             Definition("example.com", "services"));
  served.Advance(Seconds(10));
  const std::string own = "/apis/example.com/v1/namespaces/default/services";
  const std::string core = "/api/v1/namespaces/default/services";
  served.Send("GET", own + "?watch=true");
  served.Send("GET", core + "?watch=true");
  served.Advance(Seconds(1));
  const std::string made = R"({"apiVersion":"example.com/v1","kind":"Own","metadata":{"name":")";
  ASSERT_EQ(served.Ask("POST", own, made + "a\"}}").code, 201);
  ASSERT_EQ(served.Ask("POST", own, made + "b\"}}").code, 201);
  const std::string page = served.cluster.metrics().Page().body;
  const auto line = [&page](const std::string& begin) {
    const std::size_t at = page.find("\n" + begin);
    return at == page.npos ? "" : page.substr(at + 1, page.find('\n', at + 1) - at - 1);
  };
  EXPECT_EQ(line("apiserver_watch_events_total{resource=\"services.example.com\"}"),
            "apiserver_watch_events_total{resource=\"services.example.com\"} 2");
  // An object is counted once, whatever the versions at which it is served.
  const std::string objects = "apiserver_storage_objects{resource=\"services.example.com\"}";
  EXPECT_EQ(line(objects), objects + " 2");
  EXPECT_EQ(page.find(objects, page.find(objects) + 1), page.npos);
}

}  // namespace
}  // namespace ksim::serve
