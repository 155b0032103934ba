// coverage: runs that reached something new (a probe, a pair of events on one object) go into a
// corpus; later runs change a few records of one of them. A record is (site, key, answer), so a
// change leaves all others with their subjects. A run that begins from nothing is a swarm run.
//
// Feedback acts between batches only, so a campaign is the same for any number of workers. Given a
// corpus on disk it begins with that, as if it had done those runs itself.
#include <algorithm>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "ksim/base/hash.h"
#include "ksim/fuzz/corpus.h"
#include "ksim/fuzz/planner.h"

namespace ksim::fuzz {
namespace {

class CoverageGuided : public Planner {
 public:
  CoverageGuided(const scenario::Scenario& scenario, Corpus* corpus)
      : questions_(RunNominally(scenario).questions), stored_(corpus) {
    if (stored_ == nullptr) return;
    for (const CorpusEntry& known : stored_->known()) {
      seen_.insert(known.pairs.begin(), known.pairs.end());
      probes_.insert(known.probes.begin(), known.probes.end());
      Add(known.seed, known.answers);
    }
  }

  std::vector<Job> Opening() const override {
    std::vector<Job> jobs;
    if (stored_ == nullptr) return jobs;
    for (const CorpusEntry& entry : stored_->foreign()) jobs.push_back(entry.ToJob());
    return jobs;
  }

  Job JobOf(std::uint64_t number) const override {
    const Draws draws(number);
    Job job;
    job.number = job.seed = number;
    job.coverage = true;
    job.strategy.seed = number;
    if (IsFresh(number)) {
      job.strategy.name = "swarm";
      return job;
    }
    const Entry& parent = corpus_[draws.Below(Count(corpus_), Hash64("parent"))];
    job.seed = job.strategy.seed = parent.seed;
    job.strategy.name = "answers";
    job.strategy.params = ToParams(Mutated(parent.records, draws));
    return job;
  }

  void Learn(const std::vector<RunOutcome>& batch) override {
    std::vector<bool> fresh;  // as the batch was planned
    for (const RunOutcome& o : batch) fresh.push_back(IsFresh(o.number));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const RunOutcome& o = batch[i];
      CorpusEntry entry;
      entry.seed = o.seed;
      entry.strategy = fresh[i] ? "swarm" : "answers";
      for (const std::uint64_t pair : o.coverage)
        if (seen_.insert(pair).second) entry.pairs.push_back(pair);
      for (const std::string& probe : o.probes)
        if (probes_.insert(probe).second) entry.probes.push_back(probe);
      const bool news = !entry.pairs.empty() || !entry.probes.empty();
      for (const sim::Decision& d : o.decisions) entry.answers.push_back({d.site, d.key, d.answer});
      if (news) Add(o.seed, entry.answers);
      if (stored_ == nullptr) continue;
      if (o.number == 0)
        Judge(stored_->foreign()[i], std::move(entry), news);
      else if (news)
        stored_->Keep(entry);
    }
  }

 private:
  struct Entry {
    std::uint64_t seed = 0;
    std::vector<Answer> records;  // sorted
  };
  bool IsFresh(std::uint64_t number) const {
    return corpus_.empty() || Draws(number).OneIn(3, Hash64("fresh"));
  }

  void Add(std::uint64_t seed, const std::vector<sim::Override>& answers) {
    Entry& entry = corpus_.emplace_back();
    entry.seed = seed;
    for (const sim::Override& a : answers)
      entry.records.push_back({Hash64(a.site), a.key, a.answer});
    std::sort(entry.records.begin(), entry.records.end());
  }

  // An entry of another ksim or scenario, which has been run again. It keeps its input.
  void Judge(const CorpusEntry& old, CorpusEntry now, bool news) {
    if (!news) return stored_->Drop(old);
    now.strategy = old.strategy;
    now.answers = old.answers;
    stored_->Keep(now);
  }

  template <class T>
  static std::uint32_t Count(const std::vector<T>& v) {
    return static_cast<std::uint32_t>(v.size());
  }

  // One to four changes: one record less, another answer, a record more, one of another entry.
  std::vector<Answer> Mutated(std::vector<Answer> records, const Draws& draws) const {
    const std::uint32_t changes = 1 + draws.Below(4, Hash64("changes"));
    for (std::uint32_t i = 0; i < changes; ++i) {
      const std::uint32_t how = draws.Below(4, Hash64("how"), i);
      const std::uint64_t at = draws.Bits(Hash64("at"), i);
      if (how == 0 && !records.empty()) {
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(at % records.size()));
      } else if (how == 1 && !records.empty()) {
        records[at % records.size()].answer = 1 + draws.Below(6, Hash64("size"), i);
      } else if (how == 2 || corpus_.size() < 2) {
        if (questions_.empty()) continue;
        const Question& q = questions_[at % questions_.size()];
        Put(&records, q.about, 1 + draws.Below(q.sizes - 1, Hash64("size"), i));
      } else {
        const std::vector<Answer>& other =
            corpus_[draws.Below(Count(corpus_), Hash64("other"), i)].records;
        if (other.empty()) continue;
        const Answer& a = other[at % other.size()];
        Put(&records, a, a.answer);
      }
    }
    std::sort(records.begin(), records.end());
    return records;
  }

  static void Put(std::vector<Answer>* records, Answer about, std::uint32_t answer) {
    std::erase_if(*records,
                  [&about](const Answer& r) { return r.site == about.site && r.key == about.key; });
    about.answer = answer;
    records->push_back(about);
  }

  std::vector<Question> questions_;
  Corpus* stored_;  // null: nothing is kept on disk
  std::vector<Entry> corpus_;
  absl::flat_hash_set<std::uint64_t> seen_;
  std::set<std::string> probes_;
};

}  // namespace

std::unique_ptr<Planner> MakeCoverageGuided(const scenario::Scenario& scenario, Corpus* corpus) {
  return std::make_unique<CoverageGuided>(scenario, corpus);
}

}  // namespace ksim::fuzz
