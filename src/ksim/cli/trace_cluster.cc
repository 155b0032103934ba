#include "ksim/cli/trace_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/core/object_converter.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/cli/exit_code.h"
#include "ksim/cli/informer_caches.h"
#include "ksim/cli/trace_input.h"

namespace ksim::cli {

void AddObjectFlags(FlagSet& set, ObjectFlags& flags) {
  set.Add("TRACE", &flags.path, "A trace; - is standard input").Required();
  set.Add("TYPE", &flags.objects.words, "TYPE[,TYPE] [NAME...], or TYPE/NAME");
  set.Add("--at", &flags.at, "The moment: a time such as 1.5s, seq:N, rv:N, end").Type("MOMENT");
  set.Add("-n,--namespace", &flags.objects.ns, "Namespace; default \"default\"").Type("NAME");
  set.Add("-A,--all-namespaces", &flags.objects.all_namespaces, "All namespaces");
  set.Add("--as-seen-by", &flags.as_seen_by, "The process whose cache to show").Type("PROCESS");
}

api::Compat CompatOf(const trace::Trace& trace) {
  return api::ParseCompat(trace.header.compat).value_or(api::kDefaultCompat);
}

api::Object AsServed(const api::ResourceInfo& info, api::Object stored) {
  if (stored.api_version() == info.api_version() || apiserver::IsConvertedByWebhook(info))
    return stored;
  return api::Object::FromTree(apiserver::FromStored(info, stored.ToTree()),
                               stored.resource_version());
}

void WarnIfNotConverted(Io& io, const api::ResourceInfo& info,
                        const std::vector<api::Object>& objects) {
  for (const api::Object& o : objects) {
    if (o.api_version() == info.api_version()) continue;
    io.Err(
        fmt::format("warning: a webhook converts {} to {}: shown as etcd has them, at "
                    "{}\n",
                    info.known_as(), info.version, o.api_version()));
    return;
  }
}

void AddSelectorFlag(FlagSet& set, ObjectFlags& flags) {
  set.Add("-l,--selector", &flags.objects.selector, "Label selector").Type("SELECTOR");
}

void AddFieldSelectorFlag(FlagSet& set, ObjectFlags& flags) {
  set.Add("--field-selector", &flags.objects.field_selector,
          "Selector of fields: status.phase=Running,spec.nodeName!=node-1")
      .Type("SELECTOR");
}

std::unique_ptr<TraceCluster> TraceCluster::Open(Io& io, const ObjectFlags& flags, int* code,
                                                 trace::Trace* kept) {
  *code = kInvalid;
  std::optional<trace::Trace> trace = ReadTraceOrPrintError(io, flags.path);
  if (!trace) {
    const std::vector<std::string>& words = flags.objects.words;
    if (!os::Exists(flags.path) && std::any_of(words.begin(), words.end(), os::Exists))
      io.Err("      hint: the trace comes first, before the type\n");
    return nullptr;
  }
  std::optional<trace::State> state = StateAtOrPrintError(io, *trace, flags.at, code);
  if (!state) return nullptr;
  std::unique_ptr<TraceCluster> cluster(new TraceCluster(flags));
  cluster->cut_ = !trace->end;
  if (!flags.as_seen_by.empty()) {
    // StateAtOrPrintError has parsed the moment.
    std::optional<InformerCaches> caches = ReplayInformerCaches(
        io, *trace, flags.path, flags.as_seen_by, *trace::ParseMoment(flags.at), *state, code);
    if (!caches) return nullptr;
    state = std::move(caches->state);
    cluster->cached_ = std::move(caches->resources);
  }
  cluster->state_ = *std::move(state);
  cluster->compat_ = CompatOf(*trace);
  LearnResourceNames(*trace, &cluster->kinds_);
  AddKindsOf(cluster->state_, &cluster->kinds_);
  if (kept != nullptr) *kept = *std::move(trace);
  return cluster;
}

std::optional<kubectl::FoundObjects> TraceCluster::FindOrPrintError(
    Io& io, const kubectl::ObjectArguments& arguments) const {
  absl::StatusOr<kubectl::FoundObjects> found =
      kubectl::FindObjects(*this, kinds_, compat_, arguments,
                           [&](const api::ResourceInfo& info) { WarnIfNotCached(io, info); });
  if (!found.ok()) {
    io.Err(fmt::format("{}\n", Message(found.status())));
    return std::nullopt;
  }
  // A cache has its objects at the version that its informer asks for.
  if (!flags_.as_seen_by.empty()) return *std::move(found);
  for (kubectl::ObjectGroup& group : found->groups) {
    for (api::Object& o : group.objects) o = AsServed(*group.info, std::move(o));
    WarnIfNotConverted(io, *group.info, group.objects);
  }
  return *std::move(found);
}

void TraceCluster::WarnIfNotCached(Io& io, const api::ResourceInfo& info) const {
  if (flags_.as_seen_by.empty() ||
      std::find(cached_.begin(), cached_.end(), info.known_as()) != cached_.end())
    return;
  uncached_ = true;
  io.Err(fmt::format("warning: {} has no cache of {}; it has: {}\n", flags_.as_seen_by,
                     info.known_as(), fmt::join(cached_, ", ")));
}

int TraceCluster::ExitCode(bool any, bool all) const {
  if (cut_) return kUndecided;
  return all && (any || !uncached_) ? kOk : kNothing;
}

}  // namespace ksim::cli
