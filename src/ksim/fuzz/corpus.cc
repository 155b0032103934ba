#include "ksim/fuzz/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/base/version.h"
#include "ksim/fuzz/summary.h"
#include "ksim/value/json.h"

namespace ksim::fuzz {
namespace {

using value::Value;

constexpr std::string_view kSuffix = ".json";

template <class T, class F>
Value ListOf(const std::vector<T>& items, F value_of) {
  std::vector<Value> list;
  for (const T& item : items) list.push_back(value_of(item));
  return Value::Array(std::move(list));
}

Value ToTree(const CorpusEntry& e, const std::string& scenario, const std::string& world) {
  const auto answer = [](const sim::Override& a) {
    return value::Obj({{"site", Value::Of(a.site)},
                       {"key", Value::Of(std::to_string(a.key))},
                       {"answer", Value::Of(static_cast<std::int64_t>(a.answer))}});
  };
  return value::Obj(
      {{"apiVersion", Value::Of("ksim.dev/v1")},
       {"kind", Value::Of("FuzzInput")},
       {"ksim", Value::Of(std::string(Version()))},
       {"scenario", Value::Of(scenario)},
       {"world", Value::Of(world)},
       {"seed", Value::Of(std::to_string(e.seed))},
       {"strategy", Value::Of(e.strategy)},
       {"answers", ListOf(e.answers, answer)},
       {"pairs", ListOf(e.pairs, [](std::uint64_t pair) { return Value::Of(Hex(pair)); })},
       {"probes", ListOf(e.probes, [](const std::string& probe) { return Value::Of(probe); })}});
}

bool ParseNumber(const Value& v, int base, std::uint64_t* out) {
  const std::string_view text = v.AsString();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  return v.is_string() && error == std::errc() && end == text.data() + text.size();
}

// False for what no entry looks like.
bool ParseEntry(const Value& tree, CorpusEntry* e) {
  e->strategy = tree.Get("strategy").AsString();
  bool good =
      tree.Get("kind").AsString() == "FuzzInput" && ParseNumber(tree.Get("seed"), 10, &e->seed) &&
      (e->strategy == "swarm" || e->strategy == "answers") && tree.Get("answers").is_array() &&
      tree.Get("pairs").is_array() && tree.Get("probes").is_array();
  if (!good) return false;
  for (const Value& v : tree.Get("answers").items()) {
    sim::Override& a = e->answers.emplace_back();
    a.site = v.Get("site").AsString();
    good &= !a.site.empty() && ParseNumber(v.Get("key"), 10, &a.key) && v.Get("answer").is_int();
    a.answer = static_cast<std::uint32_t>(v.Get("answer").AsInt());
  }
  for (const Value& v : tree.Get("pairs").items())
    good &= ParseNumber(v, 16, &e->pairs.emplace_back());
  for (const Value& v : tree.Get("probes").items()) e->probes.emplace_back(v.AsString());
  return good;
}

}  // namespace

std::string CorpusEntry::Name() const {
  std::string all = fmt::format("{} {}", strategy, seed);
  for (const sim::Override& a : answers) all += fmt::format(" {} {} {}", a.site, a.key, a.answer);
  return Hex(Hash64(all)) + std::string(kSuffix);
}

Job CorpusEntry::ToJob() const {
  Job job;
  job.seed = job.strategy.seed = seed;
  job.coverage = true;
  job.strategy.name = strategy;
  if (strategy == "swarm") return job;
  std::vector<Answer> list;
  for (const sim::Override& a : answers) list.push_back({Hash64(a.site), a.key, a.answer});
  job.strategy.params = ToParams(list);
  return job;
}

absl::StatusOr<Corpus> Corpus::Open(const std::string& directory,
                                    const scenario::Scenario& scenario) {
  PlannerOptions plan;
  plan.strategy = "coverage";
  const std::string world =
      Hex(Hash64(fmt::format("{} {}", Version(), CampaignOf(scenario, plan))));
  Corpus corpus(directory, scenario.name, world);
  RETURN_IF_ERROR(os::MakeDirectories(directory));
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   os::ListDirectory(directory, std::string(kSuffix)));
  for (const std::string& name : names) RETURN_IF_ERROR(corpus.Read(name));
  std::stable_sort(corpus.foreign_.begin(), corpus.foreign_.end(),
                   [](const CorpusEntry& a, const CorpusEntry& b) {
                     return a.answers.size() < b.answers.size();
                   });
  corpus.DropSuperfluous();
  return corpus;
}

absl::Status Corpus::Read(const std::string& name) {
  const std::string path = directory_ + "/" + name;
  ASSIGN_OR_RETURN(const std::string text, os::ReadFile(path));
  const absl::StatusOr<Value> tree = value::ParseJson(text);
  CorpusEntry entry;
  if (!tree.ok() || !ParseEntry(*tree, &entry))
    return absl::InvalidArgumentError(name + " is no input that ksim fuzz kept");
  if (entry.Name() != name)
    return absl::InvalidArgumentError(
        fmt::format("{} was changed: its input belongs to {}", name, entry.Name()));
  const bool ours = tree->Get("world").AsString() == world_;
  (ours ? known_ : foreign_).push_back(std::move(entry));
  return absl::OkStatus();
}

// Corpora that were put together say some things twice: the first by name keeps them.
void Corpus::DropSuperfluous() {
  std::set<std::uint64_t> pairs;
  std::set<std::string> probes;
  std::vector<CorpusEntry> useful;
  for (CorpusEntry& e : known_) {
    bool adds = false;
    for (const std::uint64_t pair : e.pairs) adds |= pairs.insert(pair).second;
    for (const std::string& probe : e.probes) adds |= probes.insert(probe).second;
    if (adds)
      useful.push_back(std::move(e));
    else
      Drop(e);
  }
  known_ = std::move(useful);
}

void Corpus::Keep(const CorpusEntry& entry) {
  status_.Update(
      os::WriteFile(PathOf(entry), value::ToJson(ToTree(entry, scenario_, world_)) + "\n"));
  ++kept_;
}

void Corpus::Drop(const CorpusEntry& entry) {
  status_.Update(os::RemoveFile(PathOf(entry)));
  ++dropped_;
}

}  // namespace ksim::fuzz
