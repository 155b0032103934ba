#include "ksim/controllers/garbagecollector/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ksim::controllers {
namespace {

std::string KeyOf(const ObjectIdentity& identity, std::uint64_t number) {
  const std::string name =
      identity.ns.empty() ? identity.name : fmt::format("{}/{}", identity.ns, identity.name);
  return fmt::format("{} {} {} #{}", identity.kind, name, identity.uid, number);
}

}  // namespace

Node::Node(ObjectIdentity i, std::uint64_t n)
    : identity(std::move(i)), number(n), key(KeyOf(identity, n)) {}

std::vector<NodePtr> Node::BlockingDependents() const {
  std::vector<NodePtr> blocking;
  for (const auto& [number, dependent] : dependents) {
    const Owners& owners_of_it = dependent->owners;
    const bool blocks =
        std::any_of(owners_of_it.begin(), owners_of_it.end(),
                    [this](const Owner& o) { return o.blocks && o.uid == identity.uid; });
    if (blocks) blocking.push_back(dependent);
  }
  return blocking;
}

// Owners and dependents may hold each other in a ring.
Graph::~Graph() {
  // Nodes that own each other hold each other.
  for (const auto& [uid, node] : nodes_) node->dependents.clear();
  for (const std::weak_ptr<Node>& left : left_)
    if (const NodePtr node = left.lock()) node->dependents.clear();
}

void Graph::Forget(const NodePtr& node) {
  if (left_.size() >= sweep_at_) {
    std::erase_if(left_, [](const std::weak_ptr<Node>& left) { return left.expired(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * left_.size());
  }
  left_.push_back(node);
}

NodePtr Graph::Find(std::string_view uid) const {
  const auto it = nodes_.find(std::string(uid));
  return it == nodes_.end() ? nullptr : it->second;
}

NodePtr Graph::Make(ObjectIdentity identity) {
  return std::make_shared<Node>(std::move(identity), ++made_);
}

NodePtr Graph::Replace(const Node& node, ObjectIdentity identity) {
  NodePtr copy = Make(std::move(identity));
  copy->dependents = node.dependents;
  copy->references = node.references;
  copy->owners = node.owners;
  copy->deleting_dependents = node.deleting_dependents;
  copy->being_deleted = node.being_deleted;
  copy->is_virtual = node.is_virtual;
  Put(copy);
  return copy;
}

void Graph::Put(const NodePtr& node) {
  NodePtr& place = nodes_[node->identity.uid];
  if (place != nullptr && place != node) Forget(place);
  place = node;
}

void Graph::Erase(const Node& node) {
  const auto it = nodes_.find(node.identity.uid);
  if (it == nodes_.end()) return;
  Forget(it->second);
  nodes_.erase(it);
}

}  // namespace ksim::controllers
