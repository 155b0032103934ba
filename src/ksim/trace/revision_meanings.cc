#include "ksim/trace/revision_meanings.h"

#include <fmt/format.h>

#include <algorithm>

namespace ksim::trace {

RevisionMeanings::RevisionMeanings(const std::vector<Record>& events,
                                   const TraceIdentities& identities)
    : identities_(identities) {
  std::unordered_map<std::string, std::uint64_t> counts;
  for (const Record& r : events) {
    if (r.kind == sim::EventKind::kRequest) {
      const std::string_view verb = r.Text("verb");
      if (verb == "list" || verb == "watch" || verb == "deletecollection")
        lists_.emplace(r.Int("id"), r.Text("resource"));
    }
    if (r.kind != sim::EventKind::kCommit) continue;
    const std::int64_t revision = r.Int("revision");
    std::string identity = identities.Of(r);
    const std::uint64_t n = ++counts[identity];
    versions_.try_emplace(revision, Version{std::move(identity), n});
    changes_[std::string(r.Text("resource"))].push_back(revision);
  }
}

std::string_view RevisionMeanings::CollectionOf(const Record& r) const {
  switch (r.kind) {
    case sim::EventKind::kWatch:
    case sim::EventKind::kRelist:
      return r.Text("resource");
    case sim::EventKind::kCache: {  // its informer is "PROCESS RESOURCE"
      const std::string_view informer = r.Text("informer");
      return informer.substr(informer.rfind(' ') + 1);
    }
    case sim::EventKind::kResponse: {
      const auto it = lists_.find(r.Int("id"));
      return it == lists_.end() ? "" : std::string_view(it->second);
    }
    case sim::EventKind::kEvent:
    case sim::EventKind::kDeliver:
      return r.Text("type") == "BOOKMARK" ? r.Text("resource") : "";
    case sim::EventKind::kRequest:
      return lists_.contains(r.Int("id")) ? r.Text("resource") : "";
    default:
      return "";
  }
}

std::string RevisionMeanings::Moment(std::int64_t revision, std::string_view resource) const {
  const auto it = changes_.find(resource);
  if (it == changes_.end()) return fmt::format("0 changes of {}", resource);
  const auto& list = it->second;
  const auto n = std::upper_bound(list.begin(), list.end(), revision) - list.begin();
  return fmt::format("{} changes of {}", n, resource);
}

std::string RevisionMeanings::Of(std::int64_t revision, const Record& record) const {
  const std::string itself = fmt::format("{}", revision);
  if (revision == 0) return itself;
  if (const std::string_view resource = CollectionOf(record); !resource.empty())
    return Moment(revision, resource);
  const auto it = versions_.find(revision);
  return it == versions_.end() ? itself : fmt::format("{}@{}", it->second.identity, it->second.n);
}

}  // namespace ksim::trace
