// SyncViews: what a controller can have known of an object when a sync of it wrote: each version
// from the one that its process had been told of when the sync began to the newest one before the
// write. A sync reads its cache at its beginning, and some live; the cache is never older than what
// handlers were told.
//
//   if (const SyncViews::Sync* sync = facts.sync_views().Of(o))
//     for (const Value* version : SyncViews::VersionsOf(facts, *sync, object, o.rv)) ...
//
// An owner is an object of a subject's resource; its children are the objects that it controls.
// The objects that a subject looks at besides (a DaemonSet's nodes) have their versions, too.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/observation.h"
#include "ksim/value/value.h"

namespace ksim::check {

class Facts;

class SyncViews {
 public:
  // A controller: how its actor's name ends, what it works on, the resources of the children, and
  // the resource of what else it looks at; "" = nothing.
  struct Subject {
    std::string_view part, kind, resource;
    std::vector<std::string_view> children;
    std::string_view also;
  };
  struct Sync {
    Sync() = default;
    const Subject* subject = nullptr;
    std::string process;
    std::uint64_t owner = 0;           // the object that it works on
    std::string owner_uid;             // as it was when the sync began; "" = not there
    std::int64_t begun = 0;            // virtual ns
    std::uint64_t begin = 0, end = 0;  // seqs; end is 0 while it goes on
    // The revisions of the owner, its children, and of what else it looks at.
    std::map<std::uint64_t, std::int64_t> told;
  };
  struct Child {
    std::int64_t gone = 0;  // revision at which it was deleted or left its owner; 0: it is there
  };
  // Trees, the newest first; a null Value where there was nothing. Empty if the older ones may be
  // forgotten.
  using Versions = std::vector<const value::Value*>;

  SyncViews();

  // Other kinds of events are ignored.
  void On(const Facts& facts, const Observation& o);
  // The sync that sent the request of this commit about its owner, or a child of it; null if it is
  // not known.
  const Sync* Of(const Observation& commit) const;
  using Children = std::map<std::uint64_t, Child>;
  // The owner's children of a resource, and those that have gone and that a cache may still hold.
  const Children& ChildrenOf(std::string_view owner_uid, std::string_view resource) const;
  // The versions of an object up to the revision `before`, which is not one of them.
  static Versions VersionsOf(const Facts& facts, const Sync& sync, std::uint64_t object,
                             std::int64_t before);

 private:
  const Subject* SubjectOf(std::string_view actor) const;
  void OnCommit(const Observation& o);
  void OnCompact(std::int64_t revision);
  void OnReconcile(const Facts& facts, const Observation& o);
  bool IsChildren(std::string_view resource) const;
  // The reference to the controller, if that is of a subject's kind; null Value if there is none.
  const value::Value& ControllerOf(const value::Value& object) const;

  std::vector<Subject> subjects_;
  struct Sent {
    std::uint64_t seq = 0;
    std::string process;
  };

  std::map<std::string, Sync, std::less<>> syncs_;          // the last one by "ACTOR KEY"
  std::map<std::uint64_t, Sent> sent_;                      // writes without an answer, by request
  std::map<std::string, std::string, std::less<>> owners_;  // "RESOURCE KEY" -> uid
  // By the owner's uid and their resource.
  std::map<std::string, std::map<std::string, Children, std::less<>>, std::less<>> children_;
};

}  // namespace ksim::check
