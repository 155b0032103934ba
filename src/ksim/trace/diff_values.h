// When two events or two objects of different traces mean the same.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/trace/identity.h"
#include "ksim/trace/record.h"

namespace ksim::trace {

class RecordEquality {
 public:
  RecordEquality(const TraceIdentities& left, const TraceIdentities& right, bool strict)
      : left_(left), right_(right), strict_(strict) {}

  // Names of the fields that differ; "seq", "t", ... only when strict. Revisions seen here for the
  // first time are taken to be the same from then on.
  std::vector<std::string> DifferentFields(const Record& a, const Record& b);

  // "spec.replicas: 2 -> 5" for each place where two trees differ in meaning.
  std::vector<std::string> DifferentPlaces(const value::Value& a, const value::Value& b);

 private:
  bool Same(const value::Value& a, const value::Value& b, std::string_view name);
  bool SameText(std::string_view a, std::string_view b, std::string_view name);
  bool IsSkipped(std::string_view field) const;
  bool SameRevision(std::int64_t a, std::int64_t b);
  void Places(const value::Value& a, const value::Value& b, const std::string& path,
              std::string_view name, std::vector<std::string>* out);

  const TraceIdentities& left_;
  const TraceIdentities& right_;
  bool strict_;
  std::map<std::int64_t, std::int64_t> to_right_, to_left_;  // revisions, one to one
};

}  // namespace ksim::trace
