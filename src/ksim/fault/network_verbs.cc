#include "ksim/fault/network_verbs.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace ksim::fault {

// Nothing the node's kubelet says is heard, and it hears nothing; its containers go on.
FaultEffect NodeSilent(FaultCall& call) {
  const std::string kubelet = "kubelet/" + call.Text("node");
  if (call.sim().FindProcess(kubelet) == nullptr)
    return Skipped(fmt::format("there is no node {}", call.Text("node")));
  call.Begin();
  Cluster& cluster = call.cluster();
  std::vector<std::string> servers;
  for (const apiserver::Server* server : cluster.servers()) servers.push_back(server->name());
  for (const std::string& server : servers) cluster.SetCut(kubelet, server, true);
  FaultEffect effect;
  effect.undo = [&cluster, kubelet, servers] {
    for (const std::string& server : servers) cluster.SetCut(kubelet, server, false);
  };
  effect.lasts = call.Time("for");
  return effect;
}

// The machine goes on; its kubelet finds out when it looks.
FaultEffect NodeTrouble(FaultCall& call) {
  Cluster& cluster = call.cluster();
  const std::string node = call.Text("node"), what = call.Text("with");
  if (call.sim().FindProcess("kubelet/" + node) == nullptr)
    return Skipped(fmt::format("there is no node {}", node));
  call.Begin();
  cluster.SetTrouble(node, what, true);
  FaultEffect effect;
  effect.undo = [&cluster, node, what] { cluster.SetTrouble(node, what, false); };
  effect.lasts = call.Time("for");
  return effect;
}

FaultEffect Partition(FaultCall& call) {
  const value::Value& between = call.spec().args.Get("between");
  const std::string a(between.at(0).AsString()), b(between.at(1).AsString());
  for (const std::string& side : {a, b})
    if (call.sim().FindProcess(side) == nullptr)
      return Skipped(fmt::format("there is no process {}", side));
  call.Begin();
  Cluster& cluster = call.cluster();
  cluster.SetCut(a, b, true);
  FaultEffect effect;
  effect.undo = [&cluster, a, b] { cluster.SetCut(a, b, false); };
  effect.lasts = call.Time("for");
  return effect;
}

// --- draws ---

void DrawNodeSilent(DrawnQuestion& question) {
  const std::string_view node = question.client().substr(std::string_view("kubelet/").size());
  const std::uint32_t n = question.Ask(node, kSizes);
  if (n == 0) return;
  question.Fire("nodeSilent", value::Obj({{"node", Text(node)}, {"for", LengthOf(n)}}));
}

void DrawPartition(DrawnQuestion& question) {
  const std::uint32_t n = question.Ask(question.client(), kSizes);
  if (n == 0) return;
  question.Fire(
      "partition",
      value::Obj({{"between", value::Arr({Text(question.client()), Text(question.server())})},
                  {"for", LengthOf(n)}}));
}

}  // namespace ksim::fault
