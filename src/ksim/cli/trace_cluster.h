// TraceCluster: the cluster of a trace at a moment, as get, describe and events show it: what etcd
// held, or what one process had in its caches.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/cli/flags.h"
#include "ksim/cli/io.h"
#include "ksim/kubectl/arguments/find_objects.h"
#include "ksim/kubectl/cluster_view.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace.h"

namespace ksim::cli {

// Which objects of which trace, and when.
struct ObjectFlags {
  std::string path;
  std::string at = "end";
  std::string as_seen_by;  // a process; "" = the store
  kubectl::ObjectArguments objects;
};

// The version of Kubernetes of a trace.
api::Compat CompatOf(const trace::Trace& trace);

// An object that etcd has, as a server gives it at the version of `info`. Nobody asks a webhook
// that converts it: that object stays as it is.
api::Object AsServed(const api::ResourceInfo& info, api::Object stored);
// Warns if AsServed leaves one of the objects at another version.
void WarnIfNotConverted(Io& io, const api::ResourceInfo& info,
                        const std::vector<api::Object>& objects);

void AddObjectFlags(FlagSet& set, ObjectFlags& flags);
void AddSelectorFlag(FlagSet& set, ObjectFlags& flags);
void AddFieldSelectorFlag(FlagSet& set, ObjectFlags& flags);

class TraceCluster final : public kubectl::ClusterView {
 public:
  // Reads the trace and folds it up to the moment; null with `code` set, and the complaint printed,
  // when that fails. `flags` must outlive the cluster.
  // `kept`, if there is one, gets the trace.
  static std::unique_ptr<TraceCluster> Open(Io& io, const ObjectFlags& flags, int* code,
                                            trace::Trace* kept = nullptr);

  VirtualTime now() const override { return VirtualTime(state_.time()); }
  std::vector<api::Object> List(std::string_view resource, std::string_view ns) const override {
    return state_.List(resource, ns);
  }
  api::Object Get(std::string_view resource, std::string_view ns,
                  std::string_view name) const override {
    return state_.Get(resource, ns, name);
  }

  // The built-in kinds and the custom ones that the trace has objects of.
  const api::Kinds& kinds() const { return kinds_; }
  // The version of Kubernetes that the run behaved like.
  api::Compat compat() const { return compat_; }

  // The objects that the arguments name; nullopt, and the complaint printed, if they make no sense.
  std::optional<kubectl::FoundObjects> FindOrPrintError(
      Io& io, const kubectl::ObjectArguments& arguments) const;

  // Warns if the process of --as-seen-by keeps no cache of the resource, so that nothing of it is
  // there.
  void WarnIfNotCached(Io& io, const api::ResourceInfo& info) const;

  // The exit code. As with kubectl it is no error that there are none of the objects (`any`), but
  // that one which was named is missing (`all`). Either may be in what a cut trace lacks, and a
  // process without a cache of the resource has nothing to say.
  int ExitCode(bool any, bool all) const;

 private:
  explicit TraceCluster(const ObjectFlags& flags) : flags_(flags) {}

  const ObjectFlags& flags_;
  trace::State state_;
  api::Kinds kinds_;
  api::Compat compat_ = api::kDefaultCompat;
  bool cut_ = false;
  std::vector<std::string> cached_;  // resources in the caches of the process of --as-seen-by
  mutable bool uncached_ = false;    // it was asked for one that it has no cache of
};

}  // namespace ksim::cli
