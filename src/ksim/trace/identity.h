// TraceIdentities: identities of objects that do not depend on random suffixes, so that two traces
// can be laid side by side.
//
// An object is resource/namespace/name. One with a generated name is
// OWNER-IDENTITY>resource#n, the n-th such creation of its owner in the trace; without an owner the
// prefix takes the owner's place. An Event is about#reason#n. A uid stands for one creation: for
// IDENTITY, and from the second creation of that name on for IDENTITY~n. Other values that are
// handed out (addresses, ids of containers, names of token volumes) stand for the place in which
// they were first written: IDENTITY:PATH#n. Measured durations in texts stand for any.
//
// A name that ends with the hash of a template (a Deployment's ReplicaSets, ControllerRevisions) is
// like one that was generated where the hashes of the two traces cannot be equal: in another
// version of Kubernetes a template has other fields.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ksim/trace/record.h"

namespace ksim::trace {

enum class HashNames { kStandForThemselves, kAreGenerated };

class TraceIdentities {
 public:
  explicit TraceIdentities(const std::vector<Record>& events,
                           HashNames hash_names = HashNames::kStandForThemselves);

  // Names that the other trace mentions but never sees created (it was cut, or a request failed)
  // stand for themselves from now on, as they do there.
  void ForgetWhatLacksCreation(const std::vector<Record>& mentions, const TraceIdentities& there);

  // The identity of the object with the names that events carry; "" without a resource.
  std::string Of(std::string_view resource, std::string_view ns, std::string_view name) const;
  // The identity of the object that an event is about; "" if it is about none.
  std::string Of(const Record& record) const;

  // The text with generated names, uids and what else is handed out replaced by what they stand
  // for, word by word.
  std::string Normalise(std::string_view text) const;

  // Generated name -> identity, for "which names were paired".
  const std::map<std::string, std::string>& generated() const { return generated_; }

 private:
  void LearnCreation(const Record& commit);
  void LearnUid(std::string_view uid, const std::string& identity);
  // Learns from what a commit wrote into its object at `path`.
  void LearnHandedOut(const value::Value& written, const std::string& identity,
                      std::string_view path);
  // The identity of the object at a key of etcd; the key itself if no commit created the object.
  std::string OfKey(std::string_view key) const;
  std::string OwnerOf(const value::Value& object, std::string_view ns) const;

  HashNames hash_names_;
  std::unordered_map<std::string, std::string> identities_;   // resource/ns/name -> identity
  std::unordered_map<std::string, std::string> keys_;         // of etcd -> identity
  std::unordered_map<std::string, std::string> words_;        // name or uid -> what it stands for
  std::unordered_map<std::string, std::uint64_t> creations_;  // of an identity
  std::map<std::string, std::string> generated_;
  std::map<std::string, std::uint64_t> counters_;
};

}  // namespace ksim::trace
