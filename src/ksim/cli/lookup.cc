#include "ksim/cli/lookup.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/apiserver/core/selection.h"
#include "ksim/base/diagnostic.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/seen_by.h"
#include "ksim/cli/trace_input.h"
#include "ksim/value/text.h"

namespace ksim::cli {
namespace {

// kubectl's category `all` (each resource says that it belongs to it).
constexpr std::string_view kAllCategory =
    "pods,replicationcontrollers,services,daemonsets.apps,deployments.apps,replicasets.apps,"
    "statefulsets.apps,horizontalpodautoscalers.autoscaling,cronjobs.batch,jobs.batch";

bool IsSlashed(const std::string& word) { return word.find('/') != std::string::npos; }

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return out;
}

}  // namespace

void Selection::Define(CLI::App& app) {
  app.add_option("TRACE", path, "A trace; - is standard input")->required();
  app.add_option("TYPE", words, "TYPE[,TYPE] [NAME...], or TYPE/NAME");
  app.add_option("--at", at, "The moment: a time such as 1.5s, seq:N, rv:N, end")
      ->type_name("MOMENT");
  app.add_option("-n,--namespace", ns, "Namespace; default \"default\"")->type_name("NAME");
  app.add_flag("-A,--all-namespaces", all_namespaces, "All namespaces");
  app.add_option("--as-seen-by", as_seen_by, "The process whose cache to show")
      ->type_name("PROCESS");
}

void Selection::DefineSelector(CLI::App& app) {
  app.add_option("-l,--selector", selector, "Label selector")->type_name("SELECTOR");
}

void Selection::DefineFieldSelector(CLI::App& app) {
  app.add_option("--field-selector", field_selector,
                 "Selector of fields: status.phase=Running,spec.nodeName!=node-1")
      ->type_name("SELECTOR");
}

std::vector<std::string> Selection::Normalized() const {
  if (words.size() < 2) return words;
  const std::vector<std::string> types = SplitAtCommas(words.front());
  if (types.size() < 2) return words;
  std::vector<std::string> out;
  for (const std::string& type : types)
    for (std::size_t i = 1; i < words.size(); ++i) out.push_back(type + "/" + words[i]);
  return out;
}

bool Selection::one_named() const {
  const std::vector<std::string> all = Normalized();
  return all.size() == (IsSlashed(all.front()) ? 1 : 2);
}

const api::ResourceInfo* ResourceOrTell(Io& io, const api::Kinds& kinds, const std::string& word) {
  const api::ResourceInfo* info = kinds.ByName(word);
  if (info != nullptr) return info;
  std::vector<std::string_view> known;
  for (const api::ResourceInfo* r : kinds.all()) known.push_back(r->resource);
  const std::string near = Nearest(word, known);
  io.Err(fmt::format("error: the server doesn't have a resource type \"{}\"{}\n",
                     word.substr(0, word.find('.')),
                     near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  return nullptr;
}

bool Lookup::Open(int* code) {
  *code = kInvalid;
  std::optional<trace::Trace> trace = ReadTraceOrTell(io_, selection_.path);
  if (!trace) {
    const std::vector<std::string>& words = selection_.words;
    if (!os::Exists(selection_.path) && std::any_of(words.begin(), words.end(), os::Exists))
      io_.Err("      hint: the trace comes first, before the type\n");
    return false;
  }
  cut_ = !trace->end;
  std::optional<trace::State> state = StateOf(io_, *trace, selection_.at, code);
  if (!state) return false;
  if (!selection_.as_seen_by.empty()) {
    // StateOf has read the moment.
    std::optional<Seen> seen = SeenBy(io_, *trace, selection_.path, selection_.as_seen_by,
                                      *trace::ParseMoment(selection_.at), *state, code);
    if (!seen) return false;
    state = std::move(seen->state);
    watched_ = std::move(seen->resources);
  }
  state_ = *std::move(state);
  LearnKinds(state_, &kinds_);
  return true;
}

// cli-runtime pkg/resource/builder.go ResourceTypeOrNameArgs, visitBySelector, visitByName.
bool Lookup::Find(std::vector<Group>* groups, std::vector<std::string>* missing) {
  const std::vector<std::string> words = selection_.Normalized();
  if (words.empty()) return Wrong("which type? pods, rs, nodes, events, ... or TYPE/NAME");
  if (std::any_of(words.begin(), words.end(), IsSlashed))
    return FindSlashed(words, groups, missing);
  if (words.size() == 1) return FindTypes(words.front(), groups);
  if (selection_.selects()) return Wrong("name cannot be provided when a selector is specified");
  std::vector<const api::ResourceInfo*> infos;
  if (!TypesOf(words.front(), &infos)) return false;
  if (infos.size() > 1) return Wrong("you must specify only one resource");
  for (std::size_t i = 1; i < words.size(); ++i)
    if (!AddNamed(infos.front(), words[i], groups, missing)) return false;
  return true;
}

bool Lookup::Wrong(const std::string& what) {
  io_.Err(fmt::format("error: {}\n", what));
  return false;
}

void Lookup::WarnIfNotWatched(const api::ResourceInfo& info) {
  if (selection_.as_seen_by.empty() ||
      std::find(watched_.begin(), watched_.end(), info.resource) != watched_.end())
    return;
  io_.Err(fmt::format("warning: {} has no cache of {}; it has: {}\n", selection_.as_seen_by,
                      info.resource, fmt::join(watched_, ", ")));
}

bool Lookup::TypesOf(const std::string& types, std::vector<const api::ResourceInfo*>* out) {
  for (const std::string& type : SplitAtCommas(types)) {
    if (type == "all") {
      if (!TypesOf(std::string(kAllCategory), out)) return false;
      continue;
    }
    const api::ResourceInfo* info = ResourceOrTell(io_, kinds_, type);
    if (info == nullptr) return false;
    if (std::find(out->begin(), out->end(), info) == out->end()) out->push_back(info);
  }
  return true;
}

// cli-runtime pkg/resource/selector.go Visit, helper.go EnhanceListError.
bool Lookup::FindTypes(const std::string& types, std::vector<Group>* groups) {
  std::vector<const api::ResourceInfo*> infos;
  if (!TypesOf(types, &infos)) return false;
  api::ListOptions options;
  options.label_selector = selection_.selector;
  options.field_selector = selection_.field_selector;
  for (const api::ResourceInfo* info : infos) {
    const bool everywhere = selection_.all_namespaces || !info->namespaced;
    const std::string ns = everywhere ? "" : selection_.ns;
    const auto wanted = apiserver::Predicate::Make(*info, ns, "", options);
    if (!wanted.ok()) {
      const std::string resource =
          fmt::format("{}/{}, Resource={}", info->group, info->version, info->resource);
      io_.Err(fmt::format(
          "Error from server ({}): Unable to find {} that match label selector {}, "
          "field selector {}: {}\n",
          wanted.status().reason, value::GoQuote(resource), value::GoQuote(selection_.selector),
          value::GoQuote(selection_.field_selector), wanted.status().message));
      return false;
    }
    if (types != "all") WarnIfNotWatched(*info);
    Group& group = groups->emplace_back();
    group.info = info;
    for (api::Object& o : state_.List(info->resource, ns))
      if (o.kind() == info->kind && wanted->MatchesSelectors(o))
        group.objects.push_back(std::move(o));
  }
  return true;
}

int Lookup::Code(bool found) const {
  if (cut_) return kUndecided;
  return found ? kOk : kNothing;
}

bool Lookup::FindSlashed(const std::vector<std::string>& words, std::vector<Group>* groups,
                         std::vector<std::string>* missing) {
  if (selection_.selects())
    return Wrong("selectors and the all flag cannot be used when passing resource/name arguments");
  for (const std::string& word : words) {
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos)
      return Wrong(
          "there is no need to specify a resource type as a separate argument when passing "
          "arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of "
          "'kubectl get resource resource/<resource_name>'");
    if (word.find('/', slash + 1) != std::string::npos)
      return Wrong("arguments in resource/name form may not have more than one slash");
    if (slash == 0 || slash + 1 == word.size())
      return Wrong("arguments in resource/name form must have a single resource and name");
    const api::ResourceInfo* info = ResourceOrTell(io_, kinds_, word.substr(0, slash));
    if (info == nullptr || !AddNamed(info, word.substr(slash + 1), groups, missing)) return false;
  }
  return true;
}

bool Lookup::AddNamed(const api::ResourceInfo* info, const std::string& name,
                      std::vector<Group>* groups, std::vector<std::string>* missing) {
  if (info->namespaced && selection_.all_namespaces)
    return Wrong("a resource cannot be retrieved by name across all namespaces");
  api::Object found;
  for (api::Object& o : state_.List(info->resource, info->namespaced ? selection_.ns : ""))
    if (o.kind() == info->kind && o.name() == name) found = std::move(o);
  if (found.empty()) {
    WarnIfNotWatched(*info);
    // cli-runtime pkg/resource/visitor.go Info.Get.
    const bool nowhere = info->namespaced && selection_.ns != "default" &&
                         state_.Get("namespaces", "", selection_.ns).empty();
    missing->push_back(fmt::format("Error from server (NotFound): {} \"{}\" not found\n",
                                   nowhere ? "namespaces" : info->group_resource(),
                                   nowhere ? selection_.ns : name));
    return true;
  }
  Group& group = groups->emplace_back();
  group.info = info;
  group.objects.push_back(std::move(found));
  return true;
}

}  // namespace ksim::cli
