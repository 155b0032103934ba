#include "ksim/fuzz/delta_debugging.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ksim/fuzz/strategy.h"

namespace ksim::fuzz {
namespace {

class Reducer {
 public:
  Reducer(Decisions all, const Reproduces& shows) : left_(std::move(all)), reproduces_(shows) {}

  void DropKinds() {
    std::set<std::string> kinds;
    for (const sim::Decision& d : left_) kinds.emplace(KindOf(d.site));
    for (const std::string& kind : kinds) {
      Decisions rest;
      for (const sim::Decision& d : left_)
        if (KindOf(d.site) != kind) rest.push_back(d);
      if (rest.size() < left_.size()) Take(rest);
    }
  }

  void DropParts() {
    if (!left_.empty() && Take({})) return;
    std::size_t parts = 2;
    while (left_.size() > 1) {
      parts = std::min(parts, left_.size());
      bool smaller = false;
      for (std::size_t p = 0; p < parts && !smaller; ++p) smaller = Take(Without(p, parts));
      if (smaller) {
        parts = std::max<std::size_t>(2, parts - 1);
      } else if (parts >= left_.size()) {
        return;
      } else {
        parts *= 2;
      }
    }
  }

  // Each in turn as large as it gets: alone, or so that others may go.
  void Enlarge() {
    for (std::size_t i = 0; left_.size() > 1 && i < left_.size();) {
      Decisions larger = left_;
      larger[i].answer = std::max(larger[i].answer, larger[i].n == 0 ? 0 : larger[i].n - 1);
      const bool grows = larger[i].answer > left_[i].answer;
      const Decisions before = left_;
      if (grows && !Take({larger[i]}) && Take(larger)) DropParts();
      if (left_.size() < before.size()) {
        i = 0;
      } else {
        left_ = before;
        ++i;
      }
    }
  }

  // The smallest size that will do.
  void Lessen() {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      for (std::uint32_t answer = 1; i < left_.size() && answer < left_[i].answer; ++answer) {
        Decisions candidate = left_;
        candidate[i].answer = answer;
        if (Take(candidate)) break;
      }
    }
  }

  Decisions Left() && { return std::move(left_); }

 private:
  // If it still fails; then what was really taken counts.
  bool Take(const Decisions& candidate) {
    std::optional<Decisions> taken = reproduces_(candidate);
    if (!taken) return false;
    left_ = taken->size() <= candidate.size() ? *std::move(taken) : candidate;
    return true;
  }

  Decisions Without(std::size_t part, std::size_t parts) const {
    const std::size_t from = left_.size() * part / parts;
    const std::size_t to = left_.size() * (part + 1) / parts;
    Decisions rest;
    for (std::size_t i = 0; i < left_.size(); ++i)
      if (i < from || i >= to) rest.push_back(left_[i]);
    return rest;
  }

  Decisions left_;
  const Reproduces& reproduces_;
};

}  // namespace

Decisions WithoutUnneeded(Decisions all, const Reproduces& shows) {
  Reducer reducer(std::move(all), shows);
  reducer.DropKinds();
  reducer.DropParts();
  return std::move(reducer).Left();
}

Decisions MinimalDecisions(Decisions all, const Reproduces& shows) {
  Reducer reducer(std::move(all), shows);
  reducer.DropKinds();
  reducer.DropParts();
  reducer.Enlarge();
  reducer.Lessen();
  return std::move(reducer).Left();
}

}  // namespace ksim::fuzz
