// Creations: the oracles of how many pods a controller makes. Each pod that it creates is counted
// with those that its owner has already, and against the most that the owner was ever asked for.
//
// A controller may make one more for each creation of which it does not know that it came true, and
// beside pods that it has not been told of since it started.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/oracle.h"
#include "ksim/value/value.h"

namespace ksim::check {

class Creations : public Oracle {
 public:
  // It counts pods that an owner of this kind controls.
  Creations(const OracleInfo& info, std::string_view kind, std::string_view resource)
      : Oracle(info), kind_(kind), resource_(resource) {}
  void On(const Facts& facts, const Observation& o) override;

 protected:
  // How many pods the owner asks for; of each place, where pods have places.
  virtual std::int64_t AskedBy(const value::Value& owner) const = 0;
  // The pods of an owner that have the same place are counted together.
  virtual std::string PlaceOf(const value::Value& pod) const = 0;
  // "makes it 4 pods of replicasets/default/web, which was never asked for more than 3"
  virtual std::string Describe(std::int64_t have, std::string_view owner, const value::Value& pod,
                               std::int64_t most) const = 0;

 private:
  struct Made {
    std::uint64_t seq = 0;  // of its first commit
    std::string process;    // whose commit that was
  };
  struct Owner {
    std::string name;
    std::int64_t most = 0;  // ever asked for
  };
  struct Group {
    std::int64_t unknown = 0;              // creations whose sender does not know of them
    std::map<std::uint64_t, Made> active;  // by pod
    bool reported = false;
  };
  // A creation without an answer.
  struct Pending {
    std::uint64_t group = 0;    // 0: it has not come true yet
    std::uint64_t decided = 0;  // seq of what led to it: a sync's begin, also of a second try
    std::string by;
    bool given_up = false;  // its sender does not wait for it any more
  };
  using Creation = std::map<std::uint64_t, Pending>::iterator;

  // The uid of the owner of that kind that controls an active pod; "" if none does.
  std::string_view OwnerOf(const value::Value& pod) const;
  std::uint64_t GroupOf(std::string_view owner, const value::Value& pod) const;
  void OnOwner(const Observation& o);
  void OnRequest(const Observation& o);
  void OnPod(const Facts& facts, const Observation& o);
  // When its sender decided on it.
  std::uint64_t ComesTrue(const Observation& o, std::uint64_t key, Group* group);
  void OnResponse(const Observation& o);
  void OnDeath(std::string_view process);
  Creation GiveUp(Creation it);
  // All but those that an earlier life of the creator's process made, or another process that leads
  // beside it, and that this one was not told of when it decided.
  std::int64_t Countable(const Facts& facts, const Group& group, const Observation& o,
                         std::uint64_t decided) const;
  // How many of them the informers of the creator's process were told of.
  static std::string Views(const Facts& facts, const Group& group, const Observation& o);

  std::string_view kind_, resource_;
  absl::flat_hash_map<std::uint64_t, Owner> owners_;  // by hash of the uid; looked up only
  absl::flat_hash_map<std::uint64_t, Group> groups_;  // looked up only
  std::map<std::uint64_t, Pending> pending_;          // creations without an answer, by request
  // process -> seq of its last start, or lead
  std::map<std::string, std::uint64_t, std::less<>> started_;
};

}  // namespace ksim::check
