// Oracle: one guarantee, judged while a run goes on: a file of its own under oracles/. It reads the
// observation and the facts, and reports the first event that makes the guarantee false.
//
//   class WatchOrdered : public Oracle {
//     void On(const Facts& facts, const Observation& o) override;
//   };
//
// An oracle must catch its mutants (tests/check) and stay silent on everything that may legally
// happen: a false alarm is a bug as bad as a miss.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/check/facts.h"
#include "ksim/check/observation.h"
#include "ksim/trace/header.h"

namespace ksim::check {

enum class Guarantee : std::uint8_t { kSafety, kLiveness };

// The description of an oracle, which `ksim explain oracles` prints.
struct OracleInfo {
  std::string_view name;
  Guarantee guarantee = Guarantee::kSafety;
  std::string_view promise;             // one sentence
  std::vector<sim::EventKind> reads;    // the kinds On wants
  std::vector<std::string_view> legal;  // what may happen and is no violation
  std::string_view needs;               // what must be there to judge: "no watch was opened"
};

// A violation and who it befell.
struct Finding {
  Finding() = default;
  trace::Violation violation;
  Guarantee guarantee = Guarantee::kSafety;
  std::uint64_t seq = 0;  // of the event at which it was found; 0 = at the end
  std::string who;        // the stream's client, the informer, the actor; "" = none
  // The deed at which it was found, without names: "replicaset create pods", "kubelet start"; "" =
  // it was found at no deed.
  std::string by;
};

// Something legal that a reader wants to know: no violation.
struct Remark {
  Remark() = default;
  std::string oracle;
  std::string message;
  std::uint64_t first = 0;  // seq of the event from which it holds
};

// How the run ended, for what can be judged only then.
struct RunEnd {
  RunEnd() = default;
  std::int64_t t = 0;
  bool quiet = false;  // nothing was left to do
  bool limit = false;  // a limit passed first
  bool cut = false;    // interrupted, or the trace is cut short: liveness cannot be judged
};

class Oracle {
 public:
  explicit Oracle(const OracleInfo& info) : info_(info) {}
  virtual ~Oracle() = default;
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  const OracleInfo& info() const { return info_; }
  virtual void On(const Facts& facts, const Observation& o) = 0;
  virtual void Finish(const Facts&, const RunEnd&) {}
  // Why it has judged nothing; "" = it has.
  virtual std::string WhyNot() const { return judged_ ? "" : std::string(info_.needs); }

  // The findings since the last call.
  std::vector<Finding> Take() { return std::exchange(findings_, {}); }
  bool found() const { return !findings_.empty(); }
  // All so far.
  const std::vector<check::Remark>& remarks() const { return remarks_; }

 protected:
  void Judged() { judged_ = true; }
  bool judged() const { return judged_; }
  // `first`: the first event that made it false. At most 20 are kept.
  void Violate(std::uint64_t first, std::string who, std::string message,
               std::vector<std::string> objects);
  // At most 20 are kept.
  void Remark(std::uint64_t first, std::string message);

 private:
  const OracleInfo& info_;
  bool judged_ = false;
  int count_ = 0;
  std::vector<Finding> findings_;
  std::vector<check::Remark> remarks_;
};

// An oracle that exists: its info and how to make one. Without `make` it is judged elsewhere
// (limit, expect) or not in this version; `why` says which.
struct OracleEntry {
  const OracleInfo* info = nullptr;
  std::function<std::unique_ptr<Oracle>()> make;
  std::string_view why;
};

// All, in the order of the documentation; those that a program has registered come last.
const std::vector<OracleEntry>& AllOracles();
// For RegisterOracle (ksim/check/own_oracle.h).
void AddOracle(OracleEntry entry);
const OracleEntry* FindOracle(std::string_view name);  // null if there is none

// The name of the oracle that judges an invariant begins with it (check/invariant.h).
inline constexpr std::string_view kInvariantPrefix = "invariant.";

// Whether a list of names as in `checks` ("*", "NAME", "-NAME") selects an oracle. It says nothing
// of invariants: these are always judged.
bool Selected(const std::vector<std::string>& checks, std::string_view name);

}  // namespace ksim::check
