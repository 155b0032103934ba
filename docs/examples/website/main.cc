// Runs the Website controller in a simulated cluster: a Website is made, then scaled.
#include <cstdio>
#include <string>

#include "ksim/cluster.h"
#include "website_controller.h"

namespace {

std::string Website(int copies) {
  return "apiVersion: example.dev/v1\n"
         "kind: Website\n"
         "metadata: {name: shop}\n"
         "spec: {image: nginx, copies: " +
         std::to_string(copies) + "}\n";
}

// Runs until nothing is left to do, and prints how many pods there are and what the Website says.
// True if its status tells of `copies` ready pods.
bool RunAndShow(ksim::Cluster& cluster, int copies) {
  const ksim::ClusterResult result = cluster.Run();
  for (const std::string& error : result.errors) std::printf("%s\n", error.c_str());
  const ksim::api::Object site = cluster.Get("websites", "default", "shop");
  const auto ready = site.status().Get("ready").AsInt();
  std::printf("%s: %zu pods, website shop says %lld ready\n",
              ksim::FormatTime(cluster.now()).c_str(), cluster.List("pods", "default").size(),
              static_cast<long long>(ready));
  return result.ok() && ready == copies;
}

}  // namespace

int main() {
  ksim::Cluster cluster;
  cluster.AddController("website-controller", MakeWebsiteController);
  bool good = cluster.Apply(Website(2)).ok() && RunAndShow(cluster, 2);
  good = cluster.Apply(Website(4)).ok() && RunAndShow(cluster, 4) && good;
  return good ? 0 : 1;
}
