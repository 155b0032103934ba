#include "ksim/fuzz/run_outcome.h"

#include "ksim/base/hash.h"
#include "ksim/value/json.h"

namespace ksim::fuzz {
namespace {

// Numbers as 8 bytes, little-endian; texts and lists with their length before.
class Writer {
 public:
  Writer& Add(std::uint64_t n) {
    char bytes[8];
    PutLittleEndian(bytes, n);
    out_.append(bytes, 8);
    return *this;
  }
  Writer& Add(std::string_view text) {
    Add(text.size());
    out_ += text;
    return *this;
  }
  template <class T, class F>
  Writer& List(const T& items, F add) {
    Add(std::uint64_t{items.size()});
    for (const auto& item : items) add(item);
    return *this;
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_ && rest_.empty(); }
  std::uint64_t Number() {
    std::uint64_t n = 0;
    if (rest_.size() < 8) {
      good_ = false;
      rest_ = {};
      return 0;
    }
    for (std::size_t i = 0; i < 8; ++i)
      n |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(8);
    return n;
  }
  std::string Text() {
    const std::uint64_t size = Number();
    if (size > rest_.size()) {
      good_ = false;
      rest_ = {};
      return "";
    }
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  template <class F>
  void List(F read) {
    for (std::uint64_t n = Number(); n > 0 && good_; --n) read();
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void Write(Writer& w, const CampaignFinding& f) {
  w.Add(f.oracle).Add(f.place).Add(f.message).Add(f.by).Add(std::uint64_t{f.safety});
  w.List(f.objects, [&](const std::string& o) { w.Add(o); });
}

CampaignFinding ReadFinding(Reader& r) {
  CampaignFinding f;
  f.oracle = r.Text();
  f.place = r.Text();
  f.message = r.Text();
  f.by = r.Text();
  f.safety = r.Number() != 0;
  r.List([&] { f.objects.push_back(r.Text()); });
  return f;
}

}  // namespace

std::string Encode(const std::vector<Job>& jobs) {
  Writer w;
  w.List(jobs, [&](const Job& job) {
    w.Add(job.number).Add(job.seed).Add(job.strategy.name).Add(job.strategy.seed);
    w.Add(value::ToJson(job.strategy.params));
    w.Add(std::uint64_t{job.twice}).Add(std::uint64_t{job.coverage});
    w.Add(std::uint64_t{job.continuations});
  });
  return w.Take();
}

absl::StatusOr<std::vector<Job>> DecodeJobs(std::string_view bytes) {
  Reader r(bytes);
  std::vector<Job> jobs;
  r.List([&] {
    Job job;
    job.number = r.Number();
    job.seed = r.Number();
    job.strategy.name = r.Text();
    job.strategy.seed = r.Number();
    absl::StatusOr<value::Value> params = value::ParseJson(r.Text());
    if (params.ok()) job.strategy.params = *std::move(params);
    job.twice = r.Number() != 0;
    job.coverage = r.Number() != 0;
    job.continuations = r.Number() != 0;
    jobs.push_back(std::move(job));
  });
  if (!r.good()) return absl::InvalidArgumentError("no list of jobs");
  return jobs;
}

std::string Encode(const RunOutcome& o) {
  Writer w;
  w.Add(o.number).Add(o.seed).Add(static_cast<std::uint64_t>(o.code));
  w.List(o.findings, [&](const CampaignFinding& f) { Write(w, f); });
  w.Add(o.digest).Add(o.events).Add(o.steps).Add(static_cast<std::uint64_t>(o.lasted.ns()));
  w.List(o.faults, [&](const auto& fault) { w.Add(fault.first).Add(fault.second); });
  w.List(o.decisions, [&](const sim::Decision& d) {
    w.Add(d.site).Add(d.key).Add(std::uint64_t{d.answer}).Add(std::uint64_t{d.n});
  });
  w.List(o.coverage, [&](std::uint64_t c) { w.Add(c); });
  w.List(o.probes, [&](const std::string& p) { w.Add(p); });
  w.List(o.applied, [&](std::uint64_t number) { w.Add(number); });
  w.List(o.invariants_applied, [&](std::uint64_t number) { w.Add(number); });
  w.List(o.continuations, [&](const Continuation& c) { w.Add(c.question).Add(c.hash); });
  w.Add(o.state).Add(std::uint64_t{o.judged});
  w.List(o.failed_steps, [&](const FailedStep& step) {
    w.Add(static_cast<std::uint64_t>(step.number)).Add(step.error);
  });
  return w.Take();
}

absl::StatusOr<RunOutcome> DecodeOutcome(std::string_view bytes) {
  Reader r(bytes);
  RunOutcome o;
  o.number = r.Number();
  o.seed = r.Number();
  o.code = static_cast<int>(r.Number());
  r.List([&] { o.findings.push_back(ReadFinding(r)); });
  o.digest = r.Text();
  o.events = r.Number();
  o.steps = r.Number();
  o.lasted = Duration(static_cast<std::int64_t>(r.Number()));
  r.List([&] {
    const std::string kind = r.Text();
    o.faults[kind] = r.Number();
  });
  r.List([&] {
    sim::Decision d;
    d.site = r.Text();
    d.key = r.Number();
    d.answer = static_cast<std::uint32_t>(r.Number());
    d.n = static_cast<std::uint32_t>(r.Number());
    o.decisions.push_back(std::move(d));
  });
  r.List([&] { o.coverage.push_back(r.Number()); });
  r.List([&] { o.probes.push_back(r.Text()); });
  r.List([&] { o.applied.push_back(r.Number()); });
  r.List([&] { o.invariants_applied.push_back(r.Number()); });
  r.List([&] {
    Continuation c;
    c.question = r.Number();
    c.hash = r.Number();
    o.continuations.push_back(c);
  });
  o.state = r.Text();
  o.judged = r.Number() != 0;
  r.List([&] {
    FailedStep step;
    step.number = static_cast<std::int64_t>(r.Number());
    step.error = r.Text();
    o.failed_steps.push_back(std::move(step));
  });
  if (!r.good()) return absl::InvalidArgumentError("no outcome of a run");
  return o;
}

}  // namespace ksim::fuzz
