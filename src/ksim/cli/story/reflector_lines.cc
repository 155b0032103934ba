#include "ksim/cli/story/reflector_lines.h"

#include <fmt/format.h>

#include "ksim/api/core/version_table.h"
#include "ksim/base/time.h"
#include "ksim/controllers/registry.h"
#include "ksim/value/text.h"

namespace ksim::cli {
namespace {

using Said = client::CacheMoment::Kind;
using client::CacheMoment;

// Where each version prints what, and what its reflectors are called. A place of "" is a line that
// the version does not have.
struct LogPlaces {
  LogPlaces() = default;
  bool structured = false;
  std::string_view starts, lists, list_fails, falls_back, populated, resync, refused, closes;
  std::string_view expired, throttled, retried, ended;  // of a watch that was open
  std::string_view handler_expired, handler_failed;     // DefaultWatchErrorHandler
  std::string_view list_refused, initial_end;           // of a watch-list
  std::string_view breaks = "streamwatcher.go:111";
  std::string_view period_too_small, period_raised, waits, synced;
  std::string_view factory, kubelet_pods;  // names of reflectors
};

constexpr LogPlaces MakeLogPlaces125() {
  LogPlaces p;
  p.starts = "reflector.go:221";
  p.lists = "reflector.go:257";
  p.list_fails = "reflector.go:424";
  p.resync = "reflector.go:281";
  p.closes = "reflector.go:559";
  p.expired = "reflector.go:338";
  p.throttled = "reflector.go:340";
  p.retried = "reflector.go:344";
  p.ended = "reflector.go:347";
  p.handler_expired = "reflector.go:134";
  p.handler_failed = "reflector.go:140";
  p.waits = "shared_informer.go:252";
  p.synced = "shared_informer.go:259";
  p.period_too_small = "shared_informer.go:525";
  p.period_raised = "shared_informer.go:531";
  p.factory = "vendor/k8s.io/client-go/informers/factory.go:134";
  p.kubelet_pods = "pkg/kubelet/config/apiserver.go:66";
  return p;
}

constexpr LogPlaces MakeLogPlaces130() {
  LogPlaces p;
  p.starts = "reflector.go:296";
  p.lists = "reflector.go:332";
  p.list_fails = "reflector.go:547";
  p.populated = "reflector.go:359";
  p.resync = "reflector.go:385";
  p.refused = "reflector.go:433";
  p.closes = "reflector.go:808";
  p.expired = "reflector.go:457";
  p.throttled = "reflector.go:459";
  p.retried = "reflector.go:467";
  p.ended = "reflector.go:470";
  p.handler_expired = "reflector.go:144";
  p.handler_failed = "reflector.go:150";
  p.waits = "shared_informer.go:313";
  p.synced = "shared_informer.go:320";
  p.period_too_small = "shared_informer.go:591";
  p.period_raised = "shared_informer.go:597";
  p.factory = "k8s.io/client-go/informers/factory.go:160";
  p.kubelet_pods = "pkg/kubelet/config/apiserver.go:66";
  return p;
}

constexpr LogPlaces MakeLogPlaces136() {
  LogPlaces p;
  p.structured = true;
  p.starts = "reflector.go:425";
  p.lists = "reflector.go:472";
  p.falls_back = "reflector.go:490";
  p.populated = "reflector.go:507";
  p.resync = "reflector.go:527";
  p.refused = "reflector.go:608";
  p.closes = "reflector.go:1093";
  p.breaks = "streamwatcher.go:120";
  p.expired = "reflector.go:651";
  p.throttled = "reflector.go:653";
  p.retried = "reflector.go:661";
  p.ended = "reflector.go:664";
  p.handler_expired = "reflector.go:221";
  p.handler_failed = "reflector.go:227";
  p.list_refused = "reflector.go:816";
  p.initial_end = "reflector.go:1080";
  p.waits = "shared_informer.go:402";
  p.synced = "shared_informer.go:409";
  p.period_too_small = "shared_informer.go:889";
  p.period_raised = "shared_informer.go:895";
  p.factory = "k8s.io/client-go/informers/factory.go:177";
  p.kubelet_pods = "pkg/kubelet/config/apiserver.go:65";
  return p;
}

const LogPlaces& LogPlacesOf(api::Compat compat) {
  static constexpr LogPlaces kPlaces[] = {MakeLogPlaces125(), MakeLogPlaces130(),
                                          MakeLogPlaces136()};
  return api::ColumnOf(kPlaces, compat);
}

// The name under which a controller waits for its caches up to 1.30 (WaitForNamedCacheSync), by the
// part of the process; 1.36 has the controller's in its logger.
struct SyncName {
  std::string_view part, name;
};
constexpr SyncName kSyncNames[] = {{"attachdetach", "attach detach"},
                                   {"clusterrole-aggregation", "ClusterRoleAggregator"},
                                   {"cronjob", "cronjob"},
                                   {"daemonset", "daemon sets"},
                                   {"deployment", "deployment"},
                                   {"disruption", "disruption"},
                                   {"endpoint", "endpoint"},
                                   {"endpointslice", "endpoint_slice"},
                                   {"endpointslicemirroring", "endpoint_slice_mirroring"},
                                   {"ephemeral-volume", "ephemeral"},
                                   {"garbagecollector", "garbage collector"},
                                   {"horizontalpodautoscaler", "HPA"},
                                   {"job", "job"},
                                   {"namespace", "namespace"},
                                   {"nodeipam", "node"},
                                   {"nodelifecycle", "taint"},
                                   {"persistentvolume-binder", "persistent volume"},
                                   {"podgc", "GC"},
                                   {"pv-protection", "PV protection"},
                                   {"pvc-protection", "PVC protection"},
                                   {"replicaset", "ReplicaSet"},
                                   {"replicationcontroller", "ReplicationController"},
                                   {"resourcequota", "resource quota"},
                                   {"root-ca-cert-publisher", "crt configmap"},
                                   {"serviceaccount", "service account"},
                                   {"statefulset", "stateful set"},
                                   {"tainteviction", "taint-eviction-controller"},
                                   {"ttlafterfinished", "TTL after finished"}};

// "" for a part that upstream does not have, or that logs nothing of it.
std::string_view SyncNameOf(std::string_view part) {
  for (const SyncName& sync : kSyncNames)
    if (sync.part == part) return sync.name;
  return "";
}

std::string_view UpstreamName(std::string_view part) {
  for (const controllers::ControllerInfo& row : controllers::AllControllers())
    if (!row.is_sample() && row.PartName() == part) return row.upstream;
  return "";
}

class MomentLines {
 public:
  MomentLines(const CacheMoment& moment, std::string_view process, api::Compat compat)
      : m_(moment), p_(LogPlacesOf(compat)) {
    if (moment.resource == nullptr) return;
    const bool pods_of_kubelet =
        process.starts_with("kubelet/") && moment.resource->known_as() == "pods";
    name_ = pods_of_kubelet ? p_.kubelet_pods : p_.factory;
    type_ = fmt::format("*{}.{}", moment.resource->version, moment.resource->kind);
    error_ = moment.very_short
                 ? fmt::format(
                       "very short watch: {}: Unexpected watch close - watch lasted less "
                       "than a second and no items received",
                       name_)
                 : std::string(moment.status.message);
  }

  std::vector<ReflectorLine> Take() {
    if (m_.kind == Said::kWaits)
      AddSync(p_.waits, "Waiting for caches to sync");
    else if (m_.kind == Said::kSynced)
      AddSync(p_.synced, "Caches are synced");
    else
      Add();
    return std::move(lines_);
  }

 private:
  void Add() {
    switch (m_.kind) {
      case Said::kReflectorStarts:
        return Line(
            3, p_.starts, fmt::format("Starting reflector {} ({}) from {}", type_, Period(), name_),
            fmt::format("\"Starting reflector\" type={} resyncPeriod=\"{}\" reflector=\"{}\"",
                        Quoted(type_), Period(), name_));
      case Said::kListsAndWatches:
        return Line(3, p_.lists, fmt::format("Listing and watching {} from {}", type_, name_),
                    fmt::format("\"Listing and watching\" {}", TypeAndName()));
      case Said::kPopulated:
        return Line(2, p_.populated, fmt::format("Caches populated for {} from {}", type_, name_),
                    fmt::format("\"Caches populated\" {}", TypeAndName()));
      case Said::kResync:
        return Line(4, p_.resync, fmt::format("{}: forcing resync", name_),
                    fmt::format("\"Forcing resync\" reflector=\"{}\"", name_));
      case Said::kPeriodTooSmall:
      case Said::kPeriodRaised:
        return AddPeriod();
      case Said::kListFails:
        return AddListFailure();
      case Said::kWatchFails:
        return AddHandled(error_);
      default:
        return AddWatch();
    }
  }

  void AddWatch() {
    const std::string watch = fmt::format("{}: watch of {} ", name_, type_);
    switch (m_.kind) {
      case Said::kWatchListRefused:
        return Line(2, p_.list_refused, "", Failed("watch-list failed - backing off"));
      case Said::kWatchListFails:
        return Line(4, p_.falls_back, "",
                    fmt::format("\"Data couldn't be fetched in watchlist mode. Falling back to "
                                "regular list. This is expected if watchlist is not supported or "
                                "disabled in kube-apiserver.\" err={}",
                                Quoted(error_)));
      case Said::kInitialEventsEnd:
        return Line(4, p_.initial_end, "",
                    fmt::format("\"Exiting watch because received the bookmark that marks the end "
                                "of initial events stream\" reflector=\"{}\" totalItems={} "
                                "duration=\"{}\"",
                                name_, m_.items, FormatDuration(m_.duration)));
      case Said::kWatchRefused:
        return Line(4, p_.refused, fmt::format("{}returned {} - backing off", watch, error_),
                    Failed("Watch failed - backing off"));
      case Said::kStreamBreaks:
        return Line(1, p_.breaks,
                    "Unexpected EOF during watch stream event decoding: unexpected EOF",
                    "\"Unexpected EOF during watch stream event decoding\" err=\"unexpected EOF\"");
      case Said::kWatchCloses:
        return Line(
            4, p_.closes,
            fmt::format("{}: Watch close - {} total {} items received", name_, type_, m_.items),
            fmt::format("\"Watch close\" {} totalItems={}", NameAndType(), m_.items));
      case Said::kWatchExpires:
        return Line(4, p_.expired, fmt::format("{}closed with: {}", watch, error_),
                    Failed("Watch closed"));
      case Said::kWatchThrottled:
        return Line(2, p_.throttled, watch + "returned 429 - backing off",
                    fmt::format("\"Watch returned 429 - backing off\" {}", NameAndType()));
      case Said::kWatchRetried:
        return Line(
            2, p_.retried,
            fmt::format("{}: retrying watch of {} internal error: {}", name_, type_, error_),
            Failed("Retrying watch after internal error"));
      case Said::kWatchEnds:
        return Line(0, p_.ended, fmt::format("{}ended with: {}", watch, error_),
                    Failed("Warning: watch ended with error"), 'W');
      default:
        return;
    }
  }

  void AddListFailure() {
    Line(0, p_.list_fails, fmt::format("{}: failed to list {}: {}", name_, type_, error_), "", 'W');
    AddHandled(fmt::format("failed to list {}: {}", type_, error_));
  }

  // DefaultWatchErrorHandler.
  void AddHandled(const std::string& error) {
    if (api::IsExpired(m_.status) || api::IsGone(m_.status))
      return Line(4, p_.handler_expired,
                  fmt::format("{}: watch of {} closed with: {}", name_, type_, error),
                  fmt::format("\"Watch closed\" {} err={}", NameAndType(), Quoted(error)));
    lines_.emplace_back(0, 'E', p_.handler_failed,
                        p_.structured
                            ? fmt::format("\"Failed to watch\" err={} logger=\"UnhandledError\" {}",
                                          Quoted(error), NameAndType())
                            : fmt::format("{}: Failed to watch {}: {}", name_, type_, error));
  }

  void AddSync(std::string_view place, std::string_view what) {
    const std::string_view name = SyncNameOf(m_.part);
    if (name.empty()) return;
    Line(0, place, fmt::format("{} for {}", what, name),
         fmt::format("\"{}\" logger=\"{}\"", what, UpstreamName(m_.part)));
  }

  void AddPeriod() {
    const std::string least = FormatDuration(m_.least);
    if (m_.kind == Said::kPeriodTooSmall)
      return Line(0, p_.period_too_small,
                  fmt::format("resyncPeriod {} is too small. Changing it to the minimum allowed "
                              "value of {}",
                              Period(), least),
                  fmt::format("\"Warning: resync period is too small. Changing it to the minimum "
                              "allowed value\" resyncPeriod=\"{}\" minimumResyncPeriod=\"{}\"",
                              Period(), least),
                  'W');
    Line(0, p_.period_raised,
         fmt::format("resyncPeriod {} is smaller than resyncCheckPeriod {} and the informer has "
                     "already started. Changing it to {}",
                     Period(), least, least),
         fmt::format("\"Warning: resync period is smaller than resync check period and the "
                     "informer has already started. Changing it to the resync check period\" "
                     "resyncPeriod=\"{}\" resyncCheckPeriod=\"{}\"",
                     Period(), least),
         'W');
  }

  // `severity`: of the text; names and values are all told as information.
  void Line(int level, std::string_view place, std::string text, std::string values,
            char severity = 'I') {
    std::string& line = p_.structured ? values : text;
    if (place.empty() || line.empty()) return;
    lines_.emplace_back(level, p_.structured ? 'I' : severity, place, std::move(line));
  }

  static std::string Quoted(std::string_view text) { return value::GoQuote(text); }
  std::string Period() const { return FormatDuration(m_.period); }
  std::string TypeAndName() const {
    return fmt::format("type=\"{}\" reflector=\"{}\"", type_, name_);
  }
  std::string NameAndType() const {
    return fmt::format("reflector=\"{}\" type=\"{}\"", name_, type_);
  }
  std::string Failed(std::string_view message) const {
    return fmt::format("\"{}\" {} err={}", message, NameAndType(), Quoted(error_));
  }

  const CacheMoment& m_;
  const LogPlaces& p_;
  std::string_view name_;
  std::string type_, error_;
  std::vector<ReflectorLine> lines_;
};

}  // namespace

std::vector<ReflectorLine> LinesOfMoment(const CacheMoment& moment, std::string_view process,
                                         api::Compat compat) {
  return MomentLines(moment, process, compat).Take();
}

}  // namespace ksim::cli
