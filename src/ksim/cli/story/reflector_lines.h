// ReflectorLines: what client-go's reflectors and shared informers log, in the words of each
// version and with the places that print them: up to 1.30 lines of text, in 1.36 names and values.
//
// Controllers wait for their caches by name: up to 1.30 as kubernetes pkg/controller calls
// WaitForNamedCacheSync, in 1.36 by the name of their logger.
//
// Sources: client-go tools/cache/reflector.go, shared_informer.go; apimachinery
// pkg/watch/streamwatcher.go, pkg/util/naming/from_stack.go (a reflector's name is the place that
// starts it), pkg/util/runtime/runtime.go (HandleError); kubernetes
// pkg/kubelet/config/apiserver.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/client/core/cache_log.h"

namespace ksim::cli {

struct ReflectorLine {
  ReflectorLine(int l, char s, std::string_view p, std::string t)
      : level(l), severity(s), place(p), text(std::move(t)) {}
  int level;               // is printed from this verbosity on
  char severity;           // I, W or E
  std::string_view place;  // FILE:LINE
  std::string text;
};

// The lines of a moment, in their order; most have one. `process` owns the informer.
std::vector<ReflectorLine> LinesOfMoment(const client::CacheMoment& moment,
                                         std::string_view process, api::Compat compat);

}  // namespace ksim::cli
