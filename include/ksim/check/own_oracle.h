// OwnOracle: a guarantee that somebody who writes controllers judges in C++, with a state of its
// own: for what no expression of an invariant can say. It sees every commit and request of a run,
// or of a trace, in their order, and reports what is wrong.
//
//   class OneLeader : public ksim::check::OwnOracle {
//     void OnCommit(const ksim::check::SeenCommit& commit) override {
//       if (...) Violate("two leaders", {"leases/default/web"});
//     }
//     std::string Vacuous() const override { return seen_ ? "" : "there was no lease"; }
//   };
//   absl::Status s = ksim::check::RegisterOracle("web.oneLeader", "Two never lead at once.",
//                                                [] { return std::make_unique<OneLeader>(); });
//
// A registered oracle is one of ksim's: judged in `ksim run` and `ksim fuzz` while a run goes on
// and in `ksim check` over its trace, taken away by "-web.oneLeader" in `checks`, shrunk, and
// listed by `ksim explain oracles`. It must be a function of what it is told: no clock, no
// addresses, no order of hashes; and change nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::check {

// A write to the store. Views and references are good during the call; a Value may be
// kept.
struct SeenCommit {
  enum class Op : std::uint8_t { kCreate, kUpdate, kDelete };
  SeenCommit(const value::Value& b, const value::Value& a) : before(b), after(a) {}
  std::uint64_t seq = 0;  // of the event
  VirtualTime time;
  Op op = Op::kCreate;
  std::string_view resource, ns, name;
  std::int64_t revision = 0;
  std::string_view actor;      // who asked for it: web/reconciler
  const value::Value& before;  // the object; null where there is none
  const value::Value& after;
};

// A request to an API server.
struct SeenRequest {
  SeenRequest() = default;
  std::uint64_t seq = 0;
  VirtualTime time;
  std::string_view actor;
  std::string_view verb;  // get list watch create update patch delete deletecollection
  std::string_view resource, subresource, ns, name;
  bool dry_run = false;
};

// How the run ended.
struct SeenEnd {
  SeenEnd() = default;
  VirtualTime time;
  bool quiet = false;  // nothing was left to do
  bool limit = false;  // a limit passed first
};

class OwnOracle {
 public:
  OwnOracle() = default;
  virtual ~OwnOracle() = default;
  OwnOracle(const OwnOracle&) = delete;
  OwnOracle& operator=(const OwnOracle&) = delete;

  virtual void OnCommit(const SeenCommit&) {}
  virtual void OnRequest(const SeenRequest&) {}
  // Not called of a run that was interrupted, or of a trace that is cut short.
  virtual void OnEnd(const SeenEnd&) {}
  // Why there was nothing to judge; "": there was.
  virtual std::string Vacuous() const { return ""; }

  // `objects`: RESOURCE/NAMESPACE/NAME of those that it befell. `seq`: of the event that made it
  // so; 0: the one that it is told of.
  void Violate(std::string message, std::vector<std::string> objects, std::uint64_t seq = 0) {
    violations_.push_back({std::move(message), std::move(objects), seq});
  }

 private:
  friend class OwnOracleAdapter;
  struct Violation {
    std::string message;
    std::vector<std::string> objects;
    std::uint64_t seq = 0;
  };
  std::vector<Violation> violations_;  // since it was asked last
};

// One for each run.
using OwnOracleFactory = std::function<std::unique_ptr<OwnOracle>()>;

// For the whole process, before the first scenario is read. `name`: letters, digits, dots and
// dashes, beginning with a letter, and not "invariant."; else, and without a factory,
// InvalidArgument. AlreadyExists: ksim has an oracle of this name, or it is registered. `promise`:
// one sentence.
absl::Status RegisterOracle(std::string name, std::string promise, OwnOracleFactory factory);

}  // namespace ksim::check
