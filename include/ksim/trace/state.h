// State: the objects of a cluster at one moment, as the fold of the commits up to it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/api/object.h"
#include "ksim/trace/trace.h"

namespace ksim::trace {

// A moment of a trace: --at TIME | seq:N | rv:N | end.
struct Moment {
  Moment() = default;
  enum class Kind { kTime, kSeq, kRevision, kEnd };
  Kind kind = Kind::kEnd;
  std::int64_t value = 0;  // virtual ns, seq or revision
};
// InvalidArgument for anything else. A time may begin with '+', as output shows it.
absl::StatusOr<Moment> ParseMoment(std::string_view text);

class State {
 public:
  struct Key {
    std::string resource, ns, name;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // Takes one commit in. InvalidArgument if it does not fit the state so far.
  absl::Status Apply(const Record& commit);

  // Puts an object there as it is.
  void Put(std::string_view resource, api::Object object);

  // The objects of one resource ("" = all) and namespace ("" = all), by namespace and name.
  std::vector<api::Object> List(std::string_view resource, std::string_view ns) const;
  api::Object Get(std::string_view resource, std::string_view ns, std::string_view name) const;
  const std::map<Key, api::Object>& objects() const { return objects_; }
  std::int64_t revision() const { return revision_; }
  std::int64_t time() const { return time_; }  // of the moment asked for, or the last commit
  void set_time(std::int64_t t) { time_ = t; }

 private:
  std::map<Key, api::Object> objects_;
  std::int64_t revision_ = 0;
  std::int64_t time_ = 0;
};

// How many of the trace's events have happened by the moment. OutOfRange when the trace ends before
// it.
absl::StatusOr<std::size_t> EventsBy(const Trace& trace, const Moment& moment);

// The state at a moment. OutOfRange when the trace ends before it.
absl::StatusOr<State> StateAt(const Trace& trace, const Moment& moment);

// 32 hex digits over the objects without uids, resource versions and generated parts of what
// depends on them: equal = same outcome.
std::string OutcomeDigest(const std::vector<api::Object>& objects);

}  // namespace ksim::trace
