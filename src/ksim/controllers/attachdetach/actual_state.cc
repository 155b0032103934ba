#include "ksim/controllers/attachdetach/actual_state.h"

#include <utility>

namespace ksim::controllers {

void ActualState::Mark(const std::string& volume, const api::Object& spec, const std::string& node,
                       bool confirmed) {
  Volume& known = volumes_[volume];
  known.spec = spec;
  const auto [on, fresh] = known.nodes.try_emplace(node);
  if (fresh) in_use_[node].insert(volume);
  on->second.confirmed = confirmed;
  if (confirmed) Report(volume, node);
}

void ActualState::Remove(std::string_view volume, std::string_view node) {
  const auto it = volumes_.find(volume);
  if (it == volumes_.end()) return;
  const auto on = it->second.nodes.find(node);
  if (on != it->second.nodes.end()) it->second.nodes.erase(on);
  if (it->second.nodes.empty()) volumes_.erase(it);
  Unreport(volume, node);
}

ActualState::OnNode* ActualState::Find(std::string_view volume, std::string_view node) {
  const auto it = volumes_.find(volume);
  if (it == volumes_.end()) return nullptr;
  const auto on = it->second.nodes.find(node);
  return on == it->second.nodes.end() ? nullptr : &on->second;
}

std::vector<std::string> ActualState::NodesOf(std::string_view volume) const {
  std::vector<std::string> nodes;
  const auto it = volumes_.find(volume);
  if (it == volumes_.end()) return nodes;
  for (const auto& [node, on] : it->second.nodes)
    if (on.confirmed) nodes.push_back(node);
  return nodes;
}

void ActualState::SetInUse(std::string_view node, std::set<std::string, std::less<>> volumes) {
  in_use_[std::string(node)] = std::move(volumes);
}

bool ActualState::IsInUse(std::string_view volume, std::string_view node) const {
  const auto it = in_use_.find(node);
  return it != in_use_.end() && it->second.contains(volume);
}

void ActualState::Report(std::string_view volume, std::string_view node) {
  if (Find(volume, node) == nullptr) return;
  ToReport& report = reports_[std::string(node)];
  if (report.volumes.emplace(volume).second) report.needed = true;
}

void ActualState::Unreport(std::string_view volume, std::string_view node) {
  const auto it = reports_.find(node);
  if (it == reports_.end()) return;
  const auto found = it->second.volumes.find(volume);
  if (found == it->second.volumes.end()) return;
  it->second.volumes.erase(found);
  it->second.needed = true;
}

void ActualState::SetUpdateNeeded(std::string_view node) {
  const auto it = reports_.find(node);
  if (it != reports_.end()) it->second.needed = true;
}

std::vector<std::string> ActualState::NodesToUpdate() const {
  std::vector<std::string> nodes;
  for (const auto& [node, report] : reports_)
    if (report.needed) nodes.push_back(node);
  return nodes;
}

std::optional<std::vector<std::string>> ActualState::TakeUpdate(std::string_view node) {
  const auto it = reports_.find(node);
  if (it == reports_.end() || !std::exchange(it->second.needed, false)) return std::nullopt;
  return std::vector<std::string>(it->second.volumes.begin(), it->second.volumes.end());
}

}  // namespace ksim::controllers
