// Lookup: the objects that a command line asks for, at a moment of a trace: what get, describe and
// events have in common.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/cli/io.h"
#include "ksim/cli/trace_view.h"
#include "ksim/trace/state.h"

namespace ksim::cli {

// Which objects: types, names, namespace and selector, as kubectl takes them.
struct Selection {
  std::string path;
  std::vector<std::string> words;  // pods | rs,pods | pods/x | pods x y
  std::string ns = "default";
  bool all_namespaces = false;
  std::string selector, field_selector;
  std::string at = "end";
  std::string as_seen_by;

  void Define(CLI::App& app);
  void DefineSelector(CLI::App& app);
  void DefineFieldSelector(CLI::App& app);

  bool selects() const { return !selector.empty() || !field_selector.empty(); }
  // The words, `rs,pods x` as `rs/x pods/x`.
  std::vector<std::string> Normalized() const;
  // One object was asked for by its name (resource.Result's singleItemImplied).
  bool one_named() const;
};

// The objects found of one resource: of one that was asked for by type, even if there are none.
struct Group {
  const api::ResourceInfo* info = nullptr;
  std::vector<api::Object> objects;
};

// Resource of `word`; null, and a complaint, if there is none.
const api::ResourceInfo* ResourceOrTell(Io& io, const api::Kinds& kinds, const std::string& word);

class Lookup {
 public:
  Lookup(Io& io, const Selection& selection) : io_(io), selection_(selection) {}

  // Reads and folds the trace; false with `code` set when that fails.
  bool Open(int* code);
  // The objects asked for, those asked for by name in that order; false, and a complaint, when that
  // cannot be asked. `missing`: the complaints about names.
  bool Find(std::vector<Group>* groups, std::vector<std::string>* missing);

  // Of --as-seen-by: a process knows nothing of what it keeps no cache of.
  void WarnIfNotWatched(const api::ResourceInfo& info);

  const kubectl::ClusterView& view() const { return view_; }
  const api::Kinds& kinds() const { return kinds_; }
  VirtualTime now() const { return view_.now(); }
  // The exit code. What is missing from a cut trace may be what was not found.
  int Code(bool found) const;

 private:
  bool FindSlashed(const std::vector<std::string>& words, std::vector<Group>* groups,
                   std::vector<std::string>* missing);
  bool FindTypes(const std::string& types, std::vector<Group>* groups);
  // The types of a list with commas, each once; false, and a complaint, if one is unknown.
  bool TypesOf(const std::string& types, std::vector<const api::ResourceInfo*>* out);
  bool AddNamed(const api::ResourceInfo* info, const std::string& name, std::vector<Group>* groups,
                std::vector<std::string>* missing);
  bool Wrong(const std::string& what);  // tells it; false

  Io& io_;
  const Selection& selection_;
  trace::State state_;
  TraceView view_{state_};
  api::Kinds kinds_;
  bool cut_ = false;
  std::vector<std::string> watched_;  // by the process of --as-seen-by
};

}  // namespace ksim::cli
