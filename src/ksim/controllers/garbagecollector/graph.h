// Graph: the garbage collector's picture of who owns whom, by uid. A node is an object that an
// informer has told of, or a virtual one: an owner that only references speak of.
//
// Source: pkg/controller/garbagecollector/graph.go. CTRL-GC-01.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "ksim/controllers/garbagecollector/identity.h"

namespace ksim::controllers {

class Graph;

class Node {
 public:
  // By the order in which the nodes were made; upstream walks a map.
  using Dependents = absl::btree_map<std::uint64_t, std::shared_ptr<Node>>;

  Node(ObjectIdentity i, std::uint64_t n);

  // The dependents one of whose references to this node blocks its deletion.
  std::vector<std::shared_ptr<Node>> BlockingDependents() const;
  bool IsObserved() const { return !is_virtual; }

  const ObjectIdentity identity;
  const std::uint64_t number;
  // In the work queues: no other node has it.
  const std::string key;
  Dependents dependents;
  value::Value references;           // as the informer told them last
  Owners owners;                     // the same, read
  bool deleting_dependents = false;  // it is being deleted, and has waited for its dependents
  bool being_deleted = false;
  bool is_virtual = false;  // no informer has told of it
};
using NodePtr = std::shared_ptr<Node>;

class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  NodePtr Find(std::string_view uid) const;  // null: not there
  // A node that is not in the graph yet.
  NodePtr Make(ObjectIdentity identity);
  // A copy with another identity, which takes the place of the node in the graph.
  NodePtr Replace(const Node& node, ObjectIdentity identity);
  void Put(const NodePtr& node);
  void Erase(const Node& node);
  std::size_t size() const { return nodes_.size(); }

 private:
  void Forget(const NodePtr& node);

  absl::flat_hash_map<std::string, NodePtr> nodes_;  // by uid; looked up only
  // Nodes that have left the graph and that a queue, or each other, may still hold.
  std::vector<std::weak_ptr<Node>> left_;
  std::size_t sweep_at_ = 64;
  std::uint64_t made_ = 0;
};

}  // namespace ksim::controllers
