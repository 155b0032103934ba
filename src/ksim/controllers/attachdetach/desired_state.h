// DesiredState: the volumes that pods need on the nodes that they are on.
//
// Source: pkg/controller/volume/attachdetach/cache/desired_state_of_world.go. Its maps are walked
// in the order of names here.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "ksim/api/object.h"

namespace ksim::controllers {

class DesiredState {
 public:
  struct Volume {
    Volume() = default;
    api::Object spec;                                      // the PersistentVolume
    std::map<std::string, api::Object, std::less<>> pods;  // by uid
    bool reported = false;                                 // that it is attached elsewhere
  };
  using Volumes = std::map<std::string, Volume, std::less<>>;  // by unique name
  using Nodes = std::map<std::string, Volumes, std::less<>>;

  const Nodes& nodes() const { return nodes_; }
  void AddNode(std::string_view node);
  void DeleteNode(std::string_view node);  // not while pods on it need volumes
  bool HasNode(std::string_view node) const { return nodes_.contains(node); }
  // False: so it was.
  bool AddPod(const api::Object& pod, const std::string& volume, const api::Object& spec);
  bool DeletePod(const api::Object& pod, std::string_view volume);
  bool Has(std::string_view volume, std::string_view node) const;
  void SetReported(std::string_view volume, std::string_view node);
  bool empty() const;  // nobody needs a volume

 private:
  Nodes nodes_;
};

}  // namespace ksim::controllers
