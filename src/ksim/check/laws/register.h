// How to make each law of traces; one file each, named after what its records are about.
#pragma once
#include <memory>

#include "ksim/check/trace_law.h"

namespace ksim::check {

std::unique_ptr<TraceLaw> OrderLaw();     // order.cc: times and causes
std::unique_ptr<TraceLaw> RequestLaw();   // requests.cc
std::unique_ptr<TraceLaw> ResponseLaw();  // responses.cc
std::unique_ptr<TraceLaw> StageLaw();     // stages.cc
std::unique_ptr<TraceLaw> CommitLaw();    // commits.cc
std::unique_ptr<TraceLaw> WatchLaw();     // watches.cc: watch, event, deliver
std::unique_ptr<TraceLaw> HandlerLaw();   // handlers.cc
std::unique_ptr<TraceLaw> CacheLaw();     // caches.cc: relist, cache
std::unique_ptr<TraceLaw> RuntimeLaw();   // runtimes.cc: what kubelets do
std::unique_ptr<TraceLaw> WebhookLaw();   // webhooks.cc
std::unique_ptr<TraceLaw> RunLaw();       // run.cc: step, phase, fault, actor, reconcile
std::unique_ptr<TraceLaw> LastLineLaw();  // last_line.cc, and violations

}  // namespace ksim::check
