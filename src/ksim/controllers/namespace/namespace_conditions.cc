#include "ksim/controllers/namespace/namespace_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "ksim/api/conditions.h"

namespace ksim::controllers {
namespace {

using value::Value;

// How a condition reads: its reason and message, when it is True and when it is False.
struct ConditionText {
  std::string_view type, reason_if_true, reason, message;
};

constexpr ConditionText kDiscoveryText = {"NamespaceDeletionDiscoveryFailure", "DiscoveryFailed",
                                          "ResourcesDiscovered",
                                          "All resources successfully discovered"};
constexpr ConditionText kParsingText = {"NamespaceDeletionGroupVersionParsingFailure",
                                        "GroupVersionParsingFailed", "ParsedGroupVersions",
                                        "All legacy kube types successfully parsed"};
constexpr ConditionText kContentText = {
    "NamespaceDeletionContentFailure", "ContentDeletionFailed", "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization"};
constexpr ConditionText kRemainingText = {"NamespaceContentRemaining", "SomeResourcesRemain",
                                          "ContentRemoved", "All content successfully removed"};
constexpr ConditionText kFinalizersText = {"NamespaceFinalizersRemaining", "SomeFinalizersRemain",
                                           "ContentHasNoFinalizers",
                                           "All content-preserving finalizers finished"};

// True with `trouble` as its message, or False if there is none.
Value ConditionOf(const ConditionText& text, const std::string& trouble) {
  if (trouble.empty()) return api::MakeCondition(text.type, "False", text.reason, text.message);
  return api::MakeCondition(text.type, "True", text.reason_if_true, trouble);
}

std::string Failures(std::vector<std::string> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  return fmt::format("Failed to delete all resource types, {} remaining: {}", errors.size(),
                     fmt::join(errors, ", "));
}

// Each count in the words of `form`, sorted as texts.
std::string Counted(const std::map<std::string, std::int64_t>& counts, std::string_view begin,
                    std::string_view middle) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    parts.push_back(fmt::format("{} {} {} resource instances", name, middle, count));
  if (parts.empty()) return {};
  std::sort(parts.begin(), parts.end());
  return fmt::format("{}: {}", begin, fmt::join(parts, ", "));
}

}  // namespace

Value NamespaceConditions::ApplyTo(const Value& conditions, VirtualTime now) const {
  Value out = conditions;
  const auto put = [&](const ConditionText& text, const std::string& trouble) {
    out = api::UpdateCondition(out, ConditionOf(text, trouble), now);
  };
  // Discovery and parsing cannot fail here: the kinds are read from a table.
  put(kDiscoveryText, {});
  put(kParsingText, {});
  put(kContentText, Failures(errors_));
  put(kRemainingText, Counted(remaining_.by_resource, "Some resources are remaining", "has"));
  put(kFinalizersText, Counted(remaining_.by_finalizer,
                               "Some content in the namespace has finalizers remaining", "in"));
  return out;
}

}  // namespace ksim::controllers
