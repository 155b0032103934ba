// ObjectWatch: what `kubectl get --watch` would have printed from a moment of a trace on: the
// objects that are there, then a line or a document for each change of them until the trace ends.
//
// An object that no longer matches a selector is deleted for whoever watches, as an API server
// says it; an object that is named need not be there yet.
//
// Source: kubectl pkg/cmd/get/get.go watch, cli-runtime pkg/printers/tableprinter.go,
// apiserver pkg/storage/cacher/cache_watcher.go convertToWatchEvent.
#pragma once
#include <string>
#include <vector>

#include "ksim/cli/io.h"
#include "ksim/cli/trace_cluster.h"
#include "ksim/kubectl/printing/output_format.h"
#include "ksim/kubectl/printing/table.h"

namespace ksim::cli {

struct WatchFlags {
  WatchFlags() = default;
  bool watch = false;        // after a list
  bool watch_only = false;   // changes alone
  bool with_events = false;  // each with ADDED, MODIFIED or DELETED

  bool any() const { return watch || watch_only; }
};

struct WatchOutput {
  kubectl::OutputFormat format;
  kubectl::TableOptions table;
  bool allow_missing = true;
};

// Reads the trace that `selection` names, and prints; the moment "end" is taken for the trace's
// beginning. Returns the exit code, 5 if nothing was printed.
int WatchObjects(Io& io, const ObjectFlags& selection, const WatchFlags& flags,
                 const WatchOutput& output);

}  // namespace ksim::cli
