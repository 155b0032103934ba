#include "ksim/trace/actors.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ksim::trace {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr std::array<std::string_view, 6> kFirst = {
    "ksim", "kubectl", "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"};

int RankOf(std::string_view process) {
  for (std::size_t i = 0; i < kFirst.size(); ++i)
    if (process.starts_with(kFirst[i])) return static_cast<int>(i);
  return static_cast<int>(kFirst.size()) + (process.starts_with("kubelet/") ? 1 : 0);
}

// The number that begins here, without leading zeros.
std::string_view TakeNumber(std::string_view* text) {
  std::size_t n = 0;
  while (n < text->size() && IsDigit((*text)[n])) ++n;
  std::string_view number = text->substr(0, n);
  text->remove_prefix(n);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

// Negative, 0 or positive; digits compare as numbers.
int CompareNatural(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      const std::string_view x = TakeNumber(&a), y = TakeNumber(&b);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (x != y) return x < y ? -1 : 1;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front() ? -1 : 1;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return static_cast<int>(b.empty()) - static_cast<int>(a.empty());
}

}  // namespace

std::string_view ProcessOf(std::string_view actor) {
  constexpr std::string_view kKubelet = "kubelet/";
  const std::size_t from = actor.starts_with(kKubelet) ? kKubelet.size() : 0;
  return actor.substr(0, actor.find('/', from));
}

std::string_view PartOf(std::string_view actor) {
  const std::size_t n = ProcessOf(actor).size();
  return n == actor.size() ? std::string_view() : actor.substr(n + 1);
}

bool IsOrIsPartOf(std::string_view actor, std::string_view name) {
  return actor == name ||
         (actor.size() > name.size() && actor.starts_with(name) && actor[name.size()] == '/');
}

bool StandsAbove(std::string_view a, std::string_view b) {
  const std::string_view p = ProcessOf(a), q = ProcessOf(b);
  if (const int x = RankOf(p), y = RankOf(q); x != y) return x < y;
  if (const int order = CompareNatural(p, q); order != 0) return order < 0;
  const int order = CompareNatural(PartOf(a), PartOf(b));
  return order != 0 ? order < 0 : a < b;
}

}  // namespace ksim::trace
