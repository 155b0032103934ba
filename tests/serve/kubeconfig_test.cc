#include "ksim/serve/kubeconfig.h"

#include <gtest/gtest.h>

namespace ksim::serve {
namespace {

TEST(Kubeconfig, NamesItsServer) {
  EXPECT_EQ(ServerOfKubeconfig(KubeconfigFor("http://127.0.0.1:8080")).value(),
            "http://127.0.0.1:8080");
}

TEST(Kubeconfig, TheCurrentContextCounts) {
  const auto server = ServerOfKubeconfig(R"(
clusters: [{name: a, cluster: {server: "http://a:1"}}, {name: b, cluster: {server: "http://b:2"}}]
contexts: [{name: x, context: {cluster: b}}]
current-context: x
)");
  EXPECT_EQ(server.value(), "http://b:2");
}

TEST(Kubeconfig, WithoutAServerItIsNone) {
  for (const char* text : {"", "[]", "kind: Config", "current-context: x", "a: ["})
    EXPECT_FALSE(ServerOfKubeconfig(text).ok()) << text;
}

}  // namespace
}  // namespace ksim::serve
