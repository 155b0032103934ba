// NodeWrites: how controllers change the taints and labels of a Node: they read it, from the watch
// cache first and then from etcd, PATCH it with the version that they read, and try again after a
// conflict.
//
// Source: pkg/controller/controller_utils.go AddOrUpdateTaintOnNode, RemoveTaintOffNode,
// PatchNodeTaints, AddOrUpdateLabelsOnNode; pkg/controller/util/node/controller_utils.go
// SwapNodeControllerTaint; pkg/util/taints/taints.go.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

using Taints = std::vector<value::Value>;

value::Value MakeTaint(std::string_view key, std::string_view effect);
// A taint is known by its key and its effect (Taint.MatchTaint).
bool TaintExists(const value::Value& taints, const value::Value& taint);
bool TaintKeyExists(const value::Value& taints, std::string_view key);
// The list with the taint in the place of the one that it matches, or at the end.
value::Value WithTaint(const value::Value& taints, const value::Value& taint);
value::Value WithoutTaint(const value::Value& taints, const value::Value& taint);

class NodeWrites {
 public:
  explicit NodeWrites(client::Client& client);
  // Adds some taints, with the time, and then takes others away; false if a write failed.
  sim::Task<bool> SwapTaints(Taints to_add, Taints to_remove, api::Object node);
  // Asks nobody if `node`, as the caller knows it, has none of them.
  sim::Task<bool> RemoveTaints(Taints taints, api::Object node);
  using Labels = std::vector<std::pair<std::string, std::string>>;
  sim::Task<bool> SetLabels(std::string node, Labels labels);

 private:
  // The patch for a node as it was read; null: nothing is to be done.
  using Change = std::function<value::Value(const api::Object& node)>;
  sim::Task<bool> Patch(std::string node, Change change);

  client::Client& client_;
  const api::ResourceInfo* nodes_;
};

}  // namespace ksim::controllers
