// RevisionMeanings: what a revision stands for in its trace, so that two traces can be laid side by
// side in which independent writes took turns in another order. A revision is the version of an
// object ("nodes//node-1@2", its second change) or, where lists and watches name it, a moment of a
// collection ("3 changes of pods").
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ksim/trace/identity.h"
#include "ksim/trace/record.h"

namespace ksim::trace {

class RevisionMeanings {
 public:
  // `identities` must live as long.
  RevisionMeanings(const std::vector<Record>& events, const TraceIdentities& identities);

  // The meaning of a revision in a field of `record`. Zero, and what no commit of the trace
  // explains, means itself.
  std::string Of(std::int64_t revision, const Record& record) const;

 private:
  struct Version {
    std::string identity;
    std::uint64_t n = 0;
  };
  std::string Moment(std::int64_t revision, std::string_view resource) const;
  // The resource whose moment a revision of the record is; "" = it is the version of an object.
  std::string_view CollectionOf(const Record& record) const;

  const TraceIdentities& identities_;
  std::unordered_map<std::int64_t, Version> versions_;
  std::map<std::string, std::vector<std::int64_t>, std::less<>> changes_;  // by resource, in order
  std::unordered_map<std::int64_t, std::string>
      lists_;  // request -> resource, of lists and watches
};

}  // namespace ksim::trace
