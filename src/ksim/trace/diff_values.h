// When two events or two objects of different traces are equal: to the letter, or in meaning.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/trace/identity.h"
#include "ksim/trace/record.h"
#include "ksim/trace/revision_meanings.h"

namespace ksim::trace {

// The meaning of names, uids and revisions of one trace.
struct Meanings {
  const TraceIdentities& identities;
  const RevisionMeanings& revisions;
};

class RecordEquality {
 public:
  RecordEquality(const Meanings& left, const Meanings& right, bool exact)
      : left_(left), right_(right), exact_(exact) {}

  // Names of the fields that differ; "seq", "t", "actor", ... only when exact.
  std::vector<std::string> DifferentFields(const Record& a, const Record& b) const;

  // "spec.replicas: 2 -> 5" for each place that two commits change otherwise.
  std::vector<std::string> DifferentChanges(const Record& a, const Record& b) const;
  // The same for each place where two trees differ.
  std::vector<std::string> DifferentPlaces(const value::Value& a, const value::Value& b) const;

 private:
  // The event around the values that are compared.
  struct Pair {
    const Record& a;
    const Record& b;
  };
  bool Same(const Pair& of, const value::Value& a, const value::Value& b,
            std::string_view name) const;
  bool SameText(const Pair& of, std::string_view a, std::string_view b,
                std::string_view name) const;
  bool SameRevision(const Pair& of, std::int64_t a, std::int64_t b) const;
  void Places(const value::Value& a, const value::Value& b, const std::string& path,
              std::string_view name, std::vector<std::string>* out) const;

  Meanings left_, right_;
  bool exact_;
};

// Names of the fields of two events that differ to the letter, "seq", "t", "actor", ... among them;
// not what --trace-objects added to one alone.
std::vector<std::string> FieldsThatDiffer(const Record& a, const Record& b);

}  // namespace ksim::trace
