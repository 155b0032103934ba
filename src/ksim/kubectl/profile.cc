#include "ksim/kubectl/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::kubectl {
namespace {

constexpr Profile MakeV130() {
  Profile p;
  p.unmanaged_pods = "cannot delete Pods that declare no controller (use --force to override)";
  p.short_names_lose_version = true;
  p.wait_needs_value = false;
  p.wait_has_one_deadline = true;
  p.logs_refusal_unformatted = true;
  p.logs_config = "loader.go:395";
  p.logs_cached_groups = "cached_discovery.go:113";
  p.logs_cached_resources = "cached_discovery.go:77";
  p.logs_body = "request.go:1212";
  return p;
}

constexpr Profile MakeV136() {
  Profile p = MakeV130();
  p.label_counts_changes = true;
  p.unchanged_labels_are_not_sent = true;
  p.delete_names_namespace = true;
  p.unmanaged_pods = "Pods that declare no controller (use --force to override)";
  p.autoscales_by_v2 = true;
  p.drain_error_after_blank = true;
  p.waits_for_creation = true;
  p.waits_for_several = true;
  p.wait_asks_in_time = true;
  p.logs_structured = true;
  p.logs_config = "loader.go:407";
  p.logs_certificate = "cert_rotation.go:141";
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static constexpr Profile kProfiles[] = {Profile(), MakeV130(), MakeV136()};
  return api::ColumnOf(kProfiles, compat);
}

}  // namespace ksim::kubectl
