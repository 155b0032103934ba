#include "ksim/cli/lookup.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/diagnostic.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/seen_by.h"
#include "ksim/cli/trace_input.h"
#include "ksim/value/selector.h"

namespace ksim::cli {
namespace {

// kubectl's category `all` (each resource says that it belongs to it).
constexpr std::string_view kAllCategory =
    "pods,replicationcontrollers,services,daemonsets.apps,deployments.apps,replicasets.apps,"
    "statefulsets.apps,horizontalpodautoscalers.autoscaling,cronjobs.batch,jobs.batch";

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

bool Selection::SelectorIsGood(Io& io) const {
  const auto parsed = value::LabelSelector::Parse(selector);
  if (!parsed.ok()) io.Err(fmt::format("--selector: error: {}\n", Message(parsed.status())));
  return parsed.ok();
}

const api::ResourceInfo* ResourceOrTell(Io& io, const api::Kinds& kinds, const std::string& word) {
  const api::ResourceInfo* info = kinds.ByName(word);
  if (info != nullptr) return info;
  std::vector<std::string_view> known;
  for (const api::ResourceInfo* r : kinds.all()) known.push_back(r->resource);
  const std::string near = Nearest(word, known);
  io.Err(fmt::format("error: the server doesn't have a resource type \"{}\"{}\n", word,
                     near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  return nullptr;
}

bool Lookup::Open(int* code) {
  *code = kInvalid;
  std::optional<trace::Trace> trace = ReadTraceOrTell(io_, selection_.path);
  if (!trace) return false;
  cut_ = !trace->end;
  std::optional<trace::State> state = StateOf(io_, *trace, selection_.at, code);
  if (!state) return false;
  if (!selection_.as_seen_by.empty()) {
    // StateOf has read the moment.
    state = SeenBy(io_, *trace, selection_.path, selection_.as_seen_by,
                   *trace::ParseMoment(selection_.at), *state, code);
    if (!state) return false;
  }
  state_ = *std::move(state);
  LearnKinds(state_, &kinds_);
  return true;
}

bool Lookup::Find(std::vector<Group>* groups, std::vector<std::string>* missing) {
  std::vector<std::string> names = selection_.words;
  if (names.empty()) {
    io_.Err("error: which type? pods, rs, nodes, events, ... or TYPE/NAME\n");
    return false;
  }
  if (names.front().find('/') != std::string::npos) return FindSlashed(names, groups, missing);
  const std::string types(names.front() == "all" ? kAllCategory : names.front());
  names.erase(names.begin());
  for (std::size_t begin = 0; begin <= types.size();) {
    const std::size_t comma = std::min(types.find(',', begin), types.size());
    const api::ResourceInfo* info = ResourceOrTell(io_, kinds_, types.substr(begin, comma - begin));
    if (info == nullptr) return false;
    Add(info, names, groups, missing);
    begin = comma + 1;
  }
  return true;
}

int Lookup::Code(bool found) const {
  if (cut_) return kUndecided;
  return found ? kOk : kNothing;
}

bool Lookup::FindSlashed(const std::vector<std::string>& words, std::vector<Group>* groups,
                         std::vector<std::string>* missing) {
  for (const std::string& word : words) {
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos) {
      io_.Err(
          "error: there is no need to specify a resource type as a separate argument when "
          "passing arguments in resource/name form\n");
      return false;
    }
    const api::ResourceInfo* info = ResourceOrTell(io_, kinds_, word.substr(0, slash));
    if (info == nullptr) return false;
    Add(info, {word.substr(slash + 1)}, groups, missing);
  }
  return true;
}

void Lookup::Add(const api::ResourceInfo* info, const std::vector<std::string>& names,
                 std::vector<Group>* groups, std::vector<std::string>* missing) {
  Group group;
  group.info = info;
  const bool everywhere = selection_.all_namespaces || !info->namespaced;
  const std::string ns = everywhere ? "" : selection_.ns;
  const absl::StatusOr<value::LabelSelector> selector =
      value::LabelSelector::Parse(selection_.selector);
  for (api::Object& o : state_.List(info->resource, ns)) {
    if (o.kind() != info->kind) continue;
    if (!names.empty() && std::find(names.begin(), names.end(), o.name()) == names.end()) continue;
    if (selector.ok() && !selector->Matches(o.labels())) continue;
    group.objects.push_back(std::move(o));
  }
  for (const std::string& name : names) {
    const bool found = std::any_of(group.objects.begin(), group.objects.end(),
                                   [&](const api::Object& o) { return o.name() == name; });
    if (!found)
      missing->push_back(fmt::format("Error from server (NotFound): {} \"{}\" not found\n",
                                     info->group_resource(), name));
  }
  groups->push_back(std::move(group));
}

}  // namespace ksim::cli
