#include "ksim/check/oracle.h"

#include <utility>

namespace ksim::check {
namespace {

constexpr int kMostFindings = 20;

}  // namespace

void Oracle::Violate(std::uint64_t first, std::string who, std::string message,
                     std::vector<std::string> objects) {
  if (++count_ > kMostFindings) return;
  Finding f;
  f.violation.oracle = std::string(info_.name);
  f.violation.message = std::move(message);
  f.violation.objects = std::move(objects);
  f.violation.first = first;
  f.guarantee = info_.guarantee;
  f.who = std::move(who);
  findings_.push_back(std::move(f));
}

void Oracle::Remark(std::uint64_t first, std::string message) {
  if (remarks_.size() >= kMostFindings) return;
  check::Remark remark;
  remark.oracle = std::string(info_.name);
  remark.message = std::move(message);
  remark.first = first;
  remarks_.push_back(std::move(remark));
}

const OracleEntry* FindOracle(std::string_view name) {
  for (const OracleEntry& e : AllOracles())
    if (e.info->name == name) return &e;
  return nullptr;
}

bool Selected(const std::vector<std::string>& checks, std::string_view name) {
  bool selected = name.starts_with(kInvariantPrefix);
  for (const std::string_view check : checks) {
    if (check.starts_with('-') && check.substr(1) == name) return false;
    selected = selected || check == "*" || check == name;
  }
  return selected;
}

}  // namespace ksim::check
