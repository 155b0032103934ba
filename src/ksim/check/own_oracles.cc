#include "ksim/check/own_oracles.h"

#include <algorithm>
#include <utility>

#include "ksim/check/own_oracle.h"

namespace ksim::check {

// An own oracle as one of ksim's: gives it its view of the events, and takes what it says.
class OwnOracleAdapter : public Oracle {
 public:
  OwnOracleAdapter(const OracleInfo& info, std::unique_ptr<OwnOracle> own)
      : Oracle(info), own_(std::move(own)) {}

  void On(const Facts&, const Observation& o) override {
    if (o.kind == sim::EventKind::kCommit)
      own_->OnCommit(CommitOf(o));
    else
      own_->OnRequest(RequestOf(o));
    Report(o.seq, o.kind == sim::EventKind::kCommit ? o.by : o.actor);
  }

  void Finish(const Facts&, const RunEnd& end) override {
    if (end.cut) return;
    SeenEnd seen;
    seen.time = VirtualTime(end.t);
    seen.quiet = end.quiet;
    seen.limit = end.limit;
    own_->OnEnd(seen);
    Report(0, "");
  }

  std::string WhyNot() const override { return judged() ? "" : own_->Vacuous(); }

 private:
  static SeenCommit CommitOf(const Observation& o) {
    SeenCommit c(*o.before, *o.after);
    c.seq = o.seq;
    c.time = VirtualTime(o.t);
    c.op = static_cast<SeenCommit::Op>(o.op);
    c.resource = o.resource;
    c.ns = o.ns;
    c.name = o.name;
    c.revision = o.rv;
    c.actor = o.by;
    return c;
  }

  static SeenRequest RequestOf(const Observation& o) {
    SeenRequest r;
    r.seq = o.seq;
    r.time = VirtualTime(o.t);
    r.actor = o.actor;
    r.verb = o.verb;
    r.resource = o.resource;
    r.subresource = o.subresource;
    r.ns = o.ns;
    r.name = o.name;
    r.dry_run = o.dry_run;
    return r;
  }

  void Report(std::uint64_t seq, std::string_view who) {
    for (OwnOracle::Violation& v : std::exchange(own_->violations_, {})) {
      Judged();
      Violate(v.seq == 0 ? seq : v.seq, std::string(who), std::move(v.message),
              std::move(v.objects));
    }
  }

  std::unique_ptr<OwnOracle> own_;
};

namespace {

std::vector<std::string>& Registered() {
  static auto& names =  // NOLINT(ksim-static): what a program links, not what a run does
      *new std::vector<std::string>;
  return names;
}

bool IsName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&letter](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), fits) &&
         !name.starts_with(kInvariantPrefix);
}

}  // namespace

std::vector<std::string> OwnOracleNames() { return Registered(); }

bool IsOwnOracle(std::string_view name) {
  const std::vector<std::string>& names = Registered();
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status RegisterOracle(std::string name, std::string promise, OwnOracleFactory factory) {
  if (!IsName(name)) return absl::InvalidArgumentError("no name for an oracle: " + name);
  if (!factory) return absl::InvalidArgumentError("nothing makes the oracle " + name);
  if (FindOracle(name) != nullptr)
    return absl::AlreadyExistsError("there is an oracle of this name: " + name);
  struct Texts {
    std::string name, promise;
    OracleInfo info;
  };
  auto* texts = new Texts;  // lives as long as the program, as the infos of ksim's own
  texts->name = name;
  texts->promise = std::move(promise);
  texts->info.name = texts->name;
  texts->info.promise = texts->promise;
  texts->info.reads = {sim::EventKind::kCommit, sim::EventKind::kRequest};
  OracleEntry entry;
  entry.info = &texts->info;
  entry.make = [texts, factory = std::move(factory)] {
    return std::unique_ptr<Oracle>(new OwnOracleAdapter(texts->info, factory()));
  };
  AddOracle(std::move(entry));
  Registered().push_back(std::move(name));
  return absl::OkStatus();
}

}  // namespace ksim::check
