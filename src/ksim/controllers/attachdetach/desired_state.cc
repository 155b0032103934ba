#include "ksim/controllers/attachdetach/desired_state.h"

#include <algorithm>

namespace ksim::controllers {

void DesiredState::AddNode(std::string_view node) { nodes_.try_emplace(std::string(node)); }

void DesiredState::DeleteNode(std::string_view node) {
  const auto it = nodes_.find(node);
  if (it != nodes_.end() && it->second.empty()) nodes_.erase(it);
}

bool DesiredState::AddPod(const api::Object& pod, const std::string& volume,
                          const api::Object& spec) {
  const auto node = nodes_.find(pod.node_name());
  if (node == nodes_.end()) return false;
  const auto [it, fresh] = node->second.try_emplace(volume);
  if (fresh) it->second.spec = spec;
  return it->second.pods.try_emplace(std::string(pod.uid()), pod).second;
}

bool DesiredState::DeletePod(const api::Object& pod, std::string_view volume) {
  const auto node = nodes_.find(pod.node_name());
  if (node == nodes_.end()) return false;
  const auto it = node->second.find(volume);
  if (it == node->second.end() || it->second.pods.erase(std::string(pod.uid())) == 0) return false;
  if (it->second.pods.empty()) node->second.erase(it);
  return true;
}

bool DesiredState::Has(std::string_view volume, std::string_view node) const {
  const auto it = nodes_.find(node);
  return it != nodes_.end() && it->second.contains(volume);
}

void DesiredState::SetReported(std::string_view volume, std::string_view node) {
  const auto it = nodes_.find(node);
  if (it == nodes_.end()) return;
  const auto found = it->second.find(volume);
  if (found != it->second.end()) found->second.reported = true;
}

bool DesiredState::empty() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return node.second.empty(); });
}

}  // namespace ksim::controllers
