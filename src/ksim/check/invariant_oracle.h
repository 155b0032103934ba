// InvariantOracle: the judge of one invariant; a file for each kind of them under invariants/.
// It is told only of the commits of its resource, and when its deadline is over: InvariantJudges
// sees to that.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "ksim/check/controller_owners.h"
#include "ksim/check/invariant.h"
#include "ksim/check/oracle.h"

namespace ksim::check {

// The rest of a run that an invariant may need to know.
struct InvariantSurroundings {
  InvariantSurroundings() = default;
  const ControllerOwners* owners = nullptr;
  // A campaign's run: faults hold things up for as long as they like.
  bool campaign = false;
};

// An OracleInfo whose name lives as long as it does.
class NamedOracleInfo {
 public:
  NamedOracleInfo(std::string name, std::string promise)
      : name_(std::move(name)), promise_(std::move(promise)) {
    info_.name = name_;
    info_.promise = promise_;
  }
  NamedOracleInfo(const NamedOracleInfo&) = delete;
  NamedOracleInfo& operator=(const NamedOracleInfo&) = delete;
  OracleInfo& info() { return info_; }

 private:
  std::string name_, promise_;
  OracleInfo info_;
};

class InvariantOracle : private NamedOracleInfo, public Oracle {
 public:
  static constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int64_t>::max();

  explicit InvariantOracle(Invariant invariant);

  const Invariant& invariant() const { return invariant_; }
  using Oracle::info;
  // Whether expressions name `owner`.
  virtual bool AsksForOwners() const { return false; }
  // The time after which Pass must be called: something must have come true by then.
  virtual std::int64_t deadline() const { return kNoDeadline; }
  virtual void Pass(const Facts&, std::int64_t /*now*/) {}
  // The steps of a campaign's user did not come true each once and in their order: what is said of
  // the end of the run need not hold.
  virtual void ForgiveTheEnd() {}
  // A controller of ksim's own was led to leave undone what it should have done: not even of a
  // single object does what is said of the end hold.
  virtual void ForgiveTheEndOfEach() {}

 protected:
  const Invariant invariant_;
};

// Defined in invariants/register.cc.
std::unique_ptr<InvariantOracle> MakeInvariantOracle(const Invariant& invariant,
                                                     const InvariantSurroundings& surroundings);

}  // namespace ksim::check
