// Profile: the differences between the API servers of Kubernetes 1.25, 1.30 and 1.36, but for the
// rules of the API types (those are in api/core/profile.h). A switch has the name of its feature
// gate where there is one, else of the behaviour. profile.cc is one column a version.
#pragma once
#include <string_view>

#include "ksim/api/compat.h"

namespace ksim::apiserver {

struct Profile {
  Profile() = default;

  // Reads from the watch cache: pkg/storage/cacher/{cacher,delegator,watch_cache}.go.
  bool consistent_list_from_cache = false;  // gate ConsistentListFromCache; paged lists too
  bool list_from_cache_snapshot = false;    // gate ListFromCacheSnapshot
  // Gate ResilientWatchCacheInitialization: while the cache is not ready, storage answers or the
  // client gets 429; else the request waits.
  bool resilient_cache_init = false;
  bool list_parses_version_in_cache = true;  // GetList, else ValidateListOptions before it

  // Watches from the watch cache: pkg/storage/cacher/{cacher,cache_watcher}.go.
  bool watch_ends_with_generation = false;  // closes a watch that spans a restart of the cache
  bool state_has_revision = false;          // initial events are as of the cache's revision
  bool silent_tick_keeps_watchers = false;  // bookmarks due before the first event are put off
  bool bookmarks_begin_at_list = false;     // the first list has a revision for bookmarks

  // Watch options: apimachinery pkg/apis/meta/internalversion/{defaults,validation}.
  bool send_initial_events = false;  // ListOptions.sendInitialEvents exists
  bool watch_list = false;           // gate WatchList

  // Storage: pkg/storage/etcd3/{store,compact}.go.
  bool list_names_current_revision = false;  // 504 for a future revision: "..., current: N"
  bool follows_compact_revision = false;     // watches compact_rev_key

  // Registries: pkg/registry/generic/registry/store.go, pkg/registry/rest, pkg/registry/core/pod.
  bool deletes_collection_in_pages = false;  // deleteCollectionPageSize
  bool retry_generate_name = false;          // gate RetryGenerateName
  bool missing_object_keeps_404 = false;     // Update, else 409: a uid differs from a missing one
  bool shortened_grace_not_in_past = false;  // BeforeDelete: deletionTimestamp is at least now
  bool pod_disruption_conditions = false;    // gate PodDisruptionConditions, from 1.26 on
  // Gate PDBUnhealthyPodEvictionPolicy, from 1.27 on.
  bool unhealthy_pod_eviction_policy = false;
  // eviction.go checkAndDecrement tells what the budget's condition says.
  bool eviction_tells_condition = false;
  bool binding_sets_labels = false;         // setPodNodeAndMetadata copies the Binding's labels
  bool binding_clears_nomination = false;   // gate ClearingNominatedNodeNameAfterBinding
  bool terminating_kinds_forbid = false;    // forbidCreateAdmission: 403 in place of 405
  bool scale_404_names_subresource = true;  // ScaleREST.Get: replicasets.apps/scale "x" not found

  // Admission webhooks: pkg/admission/plugin/webhook/mutating/dispatcher.go.
  bool bad_webhook_patch_fails_call = false;  // one that is no JSON; else the request fails

  // pkg/volume/util/storageclass.go GetDefaultClass: the newest of several default classes counts;
  // else a claim without a class is refused.
  bool takes_newest_default_class = false;

  // Quotas: pkg/admission/plugin/resourcequota/{controller,resource_access}.go.
  bool looks_up_quotas_live = true;   // where the cache has none, else only while it is not filled
  bool quota_delta_for_each = false;  // CheckRequest: a quota new to an object is charged all of it

  // plugin/pkg/admission/noderestriction/admission.go.
  bool mirror_pods_refer_to_nothing = false;  // HasAPIObjectReference, else fewer references
  bool keeps_extended_claims = false;         // extendedResourceClaimStatusEqual
  bool nodes_keep_their_owners = false;       // a kubelet may not change its Node's owners
  bool recover_volume_expansion = false;      // gate RecoverVolumeExpansionFailure
  bool slices_deleted_by_their_node = false;  // deletions of ResourceSlices are judged, too

  // Authorization: the column of rbac/bootstrap_policy.txt, and cmd/kubeadm
  // app/phases/kubeconfig: kubernetes-admin is no master, but bound to cluster-admin (1.29).
  std::string_view rbac_policy = "1.25";
  bool kubeadm_binds_admins = false;

  // Other.
  bool service_field_labels = false;  // pkg/apis/core/v1/conversion.go: spec.clusterIP, spec.type
  int newest_pod_security = 25;       // the newest minor version of its Pod Security Standards
  bool admission_policies = false;    // gate ValidatingAdmissionPolicy, from 1.30 on
  bool pod_topology_labels = false;   // gate PodTopologyLabelsAdmission
  bool pod_log_has_stream = false;  // PodLogOptions.stream, from 1.32 on: refused without its gate
};

const Profile& ProfileOf(api::Compat compat);
const Profile& NewestProfile();

}  // namespace ksim::apiserver
