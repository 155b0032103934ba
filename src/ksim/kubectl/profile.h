// Profile: what differs between the kubectl of Kubernetes 1.25, 1.30 and 1.36.
#pragma once
#include <string_view>

#include "ksim/api/compat.h"

namespace ksim::kubectl {

struct Profile {
  Profile() = default;
  // label.go updateDataChangeMsg counts what is added and what is removed; else it looks at the
  // sizes of the object, and not at what an overwriting call takes away.
  bool label_counts_changes = false;
  // label.go RunLabel sends nothing where there is nothing to change.
  bool unchanged_labels_are_not_sent = false;
  // delete.go PrintObj: "deleted from default namespace".
  bool delete_names_namespace = false;
  // drain/filters.go unmanagedFatal, which follows "cannot delete ".
  std::string_view unmanaged_pods = "Pods declare no controller (use --force to override)";
  // autoscale.go createHorizontalPodAutoscalerV2: the autoscaler is one of autoscaling/v2.
  bool autoscales_by_v2 = false;
  // restmapper/shortcut.go expandResourceShortcut gives a short name's resource without the version
  // that the argument names: deploy.v1.apps asks at the preferred version.
  bool short_names_lose_version = false;
  // drain.go RunDrain: a blank before the error.
  bool drain_error_after_blank = false;
  // wait.go: --for=create, and several --for, each awaited after the other (1.31).
  bool waits_for_creation = false;
  bool waits_for_several = false;
  // wait.go conditionFuncFor: jsonpath wants a value, and a path that leads nowhere is an error.
  bool wait_needs_value = true;
  // wait.go RunWait: one deadline for all objects, where each had its own.
  bool wait_has_one_deadline = false;
  // wait/delete.go IsDeleted: the GET too has to be sent before the deadline.
  bool wait_asks_in_time = false;

  // helpers.go StandardErrorMessage gives klog.Info a format, which that does not know.
  bool logs_refusal_unformatted = false;
  // klog's lines of client-go: names and values in place of texts, from 1.33 on.
  bool logs_structured = false;
  // tools/clientcmd/loader.go, transport/cert_rotation.go, discovery/cached/disk and
  // rest/request.go: where they print; lines move from version to version.
  std::string_view logs_config = "loader.go:374";
  std::string_view logs_certificate = "cert_rotation.go:137";
  std::string_view logs_cached_groups = "cached_discovery.go:112";
  std::string_view logs_cached_resources = "cached_discovery.go:76";
  std::string_view logs_body = "request.go:1172";  // where logs are structured: the caller
};

const Profile& ProfileOf(api::Compat compat);

}  // namespace ksim::kubectl
