#include "ksim/fuzz/shrink_candidates.h"

#include <algorithm>

#include "ksim/value/value.h"

namespace ksim::fuzz {
namespace {

using scenario::Scenario;
using value::Value;

template <class T>
void AddWithoutOne(const Scenario& s, std::vector<T> Scenario::* list, std::vector<Scenario>* out) {
  for (std::size_t i = (s.*list).size(); i-- > 0;) {
    Scenario candidate = s;
    (candidate.*list).erase((candidate.*list).begin() + static_cast<std::ptrdiff_t>(i));
    out->push_back(std::move(candidate));
  }
}

// 1, a half, one less.
std::vector<std::int64_t> SmallerCounts(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t fewer : {std::int64_t{1}, n / 2, n - 1})
    if (fewer >= 1 && fewer < n && std::find(out.begin(), out.end(), fewer) == out.end())
      out.push_back(fewer);
  return out;
}

void AddWithFewerNodes(const Scenario& s, std::vector<Scenario>* out) {
  for (std::size_t i = 0; i < s.cluster.nodes.size(); ++i) {
    for (std::int64_t fewer : SmallerCounts(s.cluster.nodes[i].count)) {
      Scenario candidate = s;
      candidate.cluster.nodes[i].count = fewer;
      out->push_back(std::move(candidate));
    }
  }
  for (std::int64_t fewer : SmallerCounts(s.cluster.api_servers)) {
    Scenario candidate = s;
    candidate.cluster.api_servers = fewer;
    out->push_back(std::move(candidate));
  }
}

void AddWithFewerReplicas(const Scenario& s, std::vector<Scenario>* out) {
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    for (std::size_t o = 0; o < s.steps[i].objects.size(); ++o) {
      const Value& tree = s.steps[i].objects[o].tree;
      const Value& replicas = tree.Get("spec").Get("replicas");
      if (!replicas.is_int()) continue;
      for (std::int64_t fewer : SmallerCounts(replicas.AsInt())) {
        Scenario candidate = s;
        candidate.steps[i].objects[o].tree =
            tree.Set("spec", tree.Get("spec").Set("replicas", Value::Of(fewer)));
        out->push_back(std::move(candidate));
      }
    }
  }
}

// A later step follows the one before: at 0s all would begin at once in `ksim run`, while in a
// campaign each waits for those before it.
void AddWithSoonerSteps(const Scenario& s, std::vector<Scenario>* out) {
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    if (!s.steps[i].at || *s.steps[i].at == Duration()) continue;
    Scenario candidate = s;
    candidate.steps[i].at.reset();
    if (i == 0) candidate.steps[i].at = Duration();
    out->push_back(std::move(candidate));
  }
}

void AddWithHalfTheTime(const Scenario& s, std::vector<Scenario>* out) {
  if (!s.until || *s.until < Seconds(2)) return;
  out->push_back(s);
  out->back().until = Seconds(s.until->ns() / Seconds(2).ns());
}

}  // namespace

std::vector<Scenario> ShrinkCandidates(const Scenario& s) {
  std::vector<Scenario> out;
  AddWithoutOne(s, &Scenario::faults, &out);
  if (s.steps.size() > 1) AddWithoutOne(s, &Scenario::steps, &out);
  AddWithFewerNodes(s, &out);
  AddWithFewerReplicas(s, &out);
  AddWithSoonerSteps(s, &out);
  AddWithHalfTheTime(s, &out);
  if (s.cluster.latency_max > s.cluster.latency_min) {
    out.push_back(s);
    out.back().cluster.latency_max = s.cluster.latency_min;
  }
  return out;
}

}  // namespace ksim::fuzz
