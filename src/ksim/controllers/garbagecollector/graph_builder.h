// GraphBuilder: keeps the graph as the informers tell it, and says which nodes the garbage
// collector has to look at.
//
// Upstream's builder is a goroutine that takes the informers' events from a queue of its own. Here
// the events are taken in where they are told: that queue held them up by microseconds only.
//
// Source: pkg/controller/garbagecollector/graph_builder.go. CTRL-GC-02..09.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/controllers/garbagecollector/absent_owners.h"
#include "ksim/controllers/garbagecollector/graph.h"

namespace ksim::controllers {

class GraphBuilder {
 public:
  // Takes the nodes that have to be looked at.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void AttemptToDelete(const NodePtr& node) = 0;
    virtual void AttemptToDeleteLater(const NodePtr& node) = 0;  // rate limited
    virtual void AttemptToOrphan(const NodePtr& node) = 0;
    // `dependent` refers to an owner that is in another namespace.
    virtual void TellOfInvalidNamespace(const Node& dependent, const Owner& owner) = 0;
  };

  // `by_uid`: as AbsentOwners has it.
  GraphBuilder(Sink& sink, bool by_uid) : sink_(sink), by_uid_(by_uid), absent_(by_uid) {}

  // Informers tell of an object. `old_object` is empty for an addition.
  void Put(const api::ResourceInfo& resource, const api::Object& old_object,
           const api::Object& object);
  void Delete(const api::ResourceInfo& resource, const api::Object& object);
  // The API server has said that there is no such object (enqueueVirtualDeleteEvent).
  void DeleteVirtually(const ObjectIdentity& identity);

  const Graph& graph() const { return graph_; }
  AbsentOwners& absent_owners() { return absent_; }

 private:
  NodePtr MarkObserved(NodePtr node, const ObjectIdentity& observed);
  void Insert(const ObjectIdentity& identity, const api::Object& old_object,
              const api::Object& object);
  void Update(const NodePtr& node, const api::Object& old_object, const api::Object& object);
  void AddToOwners(const NodePtr& node, const Owners& owners);
  NodePtr AddVirtualOwner(const Node& dependent, const Owner& owner);
  bool IsPerhapsInvalid(const NodePtr& dependent, const Owner& owner, const Node& owner_node);
  void RemoveFromOwners(const Node& node, const Owners& owners);
  void WakeUnblockedOwners(const OwnersDiff& diff);
  void WakeOwner(std::string_view uid);
  void Transition(const NodePtr& node, const api::Object& old_object, const api::Object& object);
  void Remove(const NodePtr& node, const ObjectIdentity& deleted);
  // Whether the node has to stay in the graph, for its dependents name it by other coordinates than
  // those that are known to be absent.
  bool StaysAfterVirtualDeletion(const NodePtr& node, const ObjectIdentity& deleted);
  void KnowAbsent(const ObjectIdentity& absent, const std::vector<NodePtr>& dependents);
  void ReportInvalidNamespace(const Node& dependent, std::string_view owner_uid);

  Sink& sink_;
  bool by_uid_;
  Graph graph_;
  AbsentOwners absent_;
};

// The dependents that refer to an owner by these coordinates, and those that refer to its uid by
// others. One with several references to the uid may be in both. (partitionDependents)
struct PartitionedDependents {
  PartitionedDependents() = default;
  std::vector<NodePtr> matching, other;
};
PartitionedDependents Partition(const Node::Dependents& dependents, const ObjectIdentity& owner);

// Another identity by which dependents know the owner that is absent: the first that follows the
// absent one, or else the first; an empty one if there is none. (getAlternateOwnerIdentity)
ObjectIdentity AlternateIdentity(const std::vector<NodePtr>& dependents,
                                 const ObjectIdentity& absent);

}  // namespace ksim::controllers
