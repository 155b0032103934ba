#include "ksim/kubectl/arguments/find_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/apiserver/core/predicate.h"
#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/kubectl/arguments/resource_argument.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using api::ResourceInfo;

// kubectl's category `all` (each resource says that it belongs to it).
constexpr std::string_view kAllCategory =
    "pods,replicationcontrollers,services,daemonsets.apps,deployments.apps,replicasets.apps,"
    "statefulsets.apps,horizontalpodautoscalers.autoscaling,cronjobs.batch,jobs.batch";

bool IsSlashed(const std::string& word) { return word.find('/') != std::string::npos; }

std::vector<std::string> SplitTypes(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return out;
}

absl::Status UsageError(const std::string& message) {
  return absl::InvalidArgumentError("error: " + message);
}

class ObjectFinder {
 public:
  ObjectFinder(const ClusterView& cluster, const api::Kinds& kinds, api::Compat compat,
               const ObjectArguments& arguments,
               const std::function<void(const ResourceInfo&)>& on_resource)
      : cluster_(cluster),
        kinds_(kinds),
        compat_(compat),
        arguments_(arguments),
        on_resource_(on_resource) {}

  // builder.go ResourceTypeOrNameArgs, visitBySelector, visitByName.
  absl::StatusOr<FoundObjects> Find() {
    const std::vector<std::string> words = arguments_.Normalized();
    absl::Status status;
    if (words.empty()) return UsageError("which type? pods, rs, nodes, events, ... or TYPE/NAME");
    if (std::any_of(words.begin(), words.end(), IsSlashed))
      status = FindSlashed(words);
    else if (words.size() == 1)
      status = FindTypes(words.front());
    else
      status = FindNamed(words);
    if (!status.ok()) return status;
    return std::move(found_);
  }

 private:
  // TYPE NAME...
  absl::Status FindNamed(const std::vector<std::string>& words) {
    if (arguments_.has_selector())
      return UsageError("name cannot be provided when a selector is specified");
    std::vector<const ResourceInfo*> infos;
    RETURN_IF_ERROR(AddResources(words.front(), &infos));
    if (infos.size() > 1) return UsageError("you must specify only one resource");
    for (std::size_t i = 1; i < words.size(); ++i)
      RETURN_IF_ERROR(AddNamed(*infos.front(), words[i]));
    return absl::OkStatus();
  }

  // TYPE/NAME...
  absl::Status FindSlashed(const std::vector<std::string>& words) {
    if (arguments_.has_selector())
      return UsageError(
          "selectors and the all flag cannot be used when passing resource/name arguments");
    for (const std::string& word : words) {
      const std::size_t slash = word.find('/');
      if (slash == std::string::npos)
        return UsageError(
            "there is no need to specify a resource type as a separate argument when passing "
            "arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead "
            "of 'kubectl get resource resource/<resource_name>'");
      if (word.find('/', slash + 1) != std::string::npos)
        return UsageError("arguments in resource/name form may not have more than one slash");
      if (slash == 0 || slash + 1 == word.size())
        return UsageError("arguments in resource/name form must have a single resource and name");
      ASSIGN_OR_RETURN(const ResourceInfo* info,
                       ResourceOfWord(kinds_, word.substr(0, slash), compat_));
      RETURN_IF_ERROR(AddNamed(*info, word.substr(slash + 1)));
    }
    return absl::OkStatus();
  }

  // TYPE[,TYPE]: selector.go Visit, helper.go EnhanceListError.
  absl::Status FindTypes(const std::string& types) {
    std::vector<const ResourceInfo*> infos;
    RETURN_IF_ERROR(AddResources(types, &infos));
    api::ListOptions options;
    options.label_selector = arguments_.selector;
    options.field_selector = arguments_.field_selector;
    for (const ResourceInfo* info : infos) {
      const bool everywhere = arguments_.all_namespaces || !info->namespaced;
      const std::string ns = everywhere ? "" : arguments_.ns;
      const auto wanted = apiserver::Predicate::Make(*info, ns, "", options);
      if (!wanted.ok()) {
        const std::string resource =
            fmt::format("{}/{}, Resource={}", info->group, info->version, info->resource);
        return absl::InvalidArgumentError(fmt::format(
            "Error from server ({}): Unable to find {} that match label selector {}, "
            "field selector {}: {}",
            wanted.status().reason, value::GoQuote(resource), value::GoQuote(arguments_.selector),
            value::GoQuote(arguments_.field_selector), wanted.status().message));
      }
      if (types != "all") on_resource_(*info);
      ObjectGroup& group = found_.groups.emplace_back();
      group.info = info;
      for (api::Object& o : cluster_.List(info->known_as(), ns))
        if (o.kind() == info->kind && wanted->MatchesSelectors(o))
          group.objects.push_back(std::move(o));
    }
    return absl::OkStatus();
  }

  // Adds the resources of a list with commas, each once.
  absl::Status AddResources(const std::string& types, std::vector<const ResourceInfo*>* out) {
    for (const std::string& type : SplitTypes(types)) {
      if (type == "all") {
        RETURN_IF_ERROR(AddResources(std::string(kAllCategory), out));
        continue;
      }
      ASSIGN_OR_RETURN(const ResourceInfo* info, ResourceOfWord(kinds_, type, compat_));
      if (std::find(out->begin(), out->end(), info) == out->end()) out->push_back(info);
    }
    return absl::OkStatus();
  }

  absl::Status AddNamed(const ResourceInfo& info, const std::string& name) {
    if (info.namespaced && arguments_.all_namespaces)
      return UsageError("a resource cannot be retrieved by name across all namespaces");
    api::Object found;
    for (api::Object& o : cluster_.List(info.known_as(), info.namespaced ? arguments_.ns : ""))
      if (o.kind() == info.kind && o.name() == name) found = std::move(o);
    if (found.empty()) {
      on_resource_(info);
      found_.not_found.push_back(NotFoundText(info, name));
      return absl::OkStatus();
    }
    ObjectGroup& group = found_.groups.emplace_back();
    group.info = &info;
    group.objects.push_back(std::move(found));
    return absl::OkStatus();
  }

  // visitor.go Info.Get: the namespace may be what is missing.
  std::string NotFoundText(const ResourceInfo& info, const std::string& name) const {
    const bool no_namespace = info.namespaced && arguments_.ns != "default" &&
                              cluster_.Get("namespaces", "", arguments_.ns).empty();
    return fmt::format("Error from server (NotFound): {} \"{}\" not found\n",
                       no_namespace ? "namespaces" : info.group_resource(),
                       no_namespace ? arguments_.ns : name);
  }

  const ClusterView& cluster_;
  const api::Kinds& kinds_;
  const api::Compat compat_;
  const ObjectArguments& arguments_;
  const std::function<void(const ResourceInfo&)>& on_resource_;
  FoundObjects found_;
};

}  // namespace

std::vector<std::string> ObjectArguments::Normalized() const {
  if (words.size() < 2) return words;
  const std::vector<std::string> types = SplitTypes(words.front());
  if (types.size() < 2) return words;
  std::vector<std::string> out;
  for (const std::string& type : types)
    for (std::size_t i = 1; i < words.size(); ++i) out.push_back(type + "/" + words[i]);
  return out;
}

bool ObjectArguments::names_one() const {
  const std::vector<std::string> all = Normalized();
  return all.size() == (IsSlashed(all.front()) ? 1 : 2);
}

absl::StatusOr<FoundObjects> FindObjects(
    const ClusterView& cluster, const api::Kinds& kinds, api::Compat compat,
    const ObjectArguments& arguments, const std::function<void(const ResourceInfo&)>& on_resource) {
  return ObjectFinder(cluster, kinds, compat, arguments, on_resource).Find();
}

absl::StatusOr<const ResourceInfo*> ResourceOfWord(const api::Kinds& kinds, const std::string& word,
                                                   api::Compat compat) {
  if (const ResourceInfo* info = ResourceOfArgument(kinds, word, compat)) return info;
  std::vector<std::string_view> known;
  for (const ResourceInfo* r : kinds.all()) known.push_back(r->resource);
  const std::string near = Nearest(word, known);
  return absl::InvalidArgumentError(
      fmt::format("{}{}", NoSuchTypeText(word),
                  near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

}  // namespace ksim::kubectl
