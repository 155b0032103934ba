// ActualState: the volumes that are attached to nodes, or may be; those that nodes say that they
// use; and what the status of each node is to say of it.
//
// Source: pkg/controller/volume/attachdetach/cache/actual_state_of_world.go. Its maps are walked in
// the order of names here.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::controllers {

class ActualState {
 public:
  struct OnNode {
    OnNode() = default;
    bool confirmed = false;  // it is attached; else it may be
    std::optional<VirtualTime> detach_requested;
  };
  struct Volume {
    Volume() = default;
    api::Object spec;  // empty: not known, which is so of what an earlier life has attached
    std::map<std::string, OnNode, std::less<>> nodes;
  };
  using Volumes = std::map<std::string, Volume, std::less<>>;  // by unique name

  const Volumes& volumes() const { return volumes_; }
  // MarkVolumeAsAttached, MarkVolumeAsUncertain: a volume that is new to the node counts as in use
  // by it until the node says otherwise.
  void Mark(const std::string& volume, const api::Object& spec, const std::string& node,
            bool confirmed);
  void Remove(std::string_view volume, std::string_view node);
  // Null: it is not attached there, as far as is known.
  OnNode* Find(std::string_view volume, std::string_view node);
  // The nodes that surely have it.
  std::vector<std::string> NodesOf(std::string_view volume) const;

  void SetInUse(std::string_view node, std::set<std::string, std::less<>> volumes);
  bool IsInUse(std::string_view volume, std::string_view node) const;

  // --- what nodes' statuses are to say ---
  void Report(std::string_view volume, std::string_view node);
  void Unreport(std::string_view volume, std::string_view node);
  void SetUpdateNeeded(std::string_view node);  // a node of which nothing was said stays so
  std::vector<std::string> NodesToUpdate() const;
  // The list to write; nullopt: it is written. From now on it counts as written.
  std::optional<std::vector<std::string>> TakeUpdate(std::string_view node);

 private:
  struct ToReport {
    ToReport() = default;
    bool needed = true;
    std::set<std::string, std::less<>> volumes;
  };
  Volumes volumes_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> in_use_;
  std::map<std::string, ToReport, std::less<>> reports_;
};

}  // namespace ksim::controllers
