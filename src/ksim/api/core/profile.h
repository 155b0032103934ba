// Profile: the differences between the rules of the API types in Kubernetes 1.25, 1.30 and 1.36:
// validation and its words, defaulting, preparation before storage, warnings and decoding. A switch
// has the name of its feature gate, or of the behaviour if there is no gate; its comment names
// upstream's function. profile.cc is one column a version, and the only place under src/ksim/api
// that knows which version has which switch.
//
// Rules read it from FieldErrorList::profile() or ProfileOf(compat); whoever adds a switch adds a
// line here and one in profile.cc.
#pragma once
#include "ksim/api/compat.h"

namespace ksim::api {

struct Profile {
  constexpr Profile() = default;

  // Words of errors: apimachinery pkg/util/validation/field/errors.go.
  bool bad_values_as_json = false;      // ErrorBody: a bad value as JSON, else as Go's %#v
  bool too_long_as_may_not_be = false;  // TooLong: "may not be more than", else "must have at most"
  bool writes_zero_creation = true;     // creationTimestamp without omitzero: null, up to 1.33
  bool bad_delete_options_are_400 = false;  // DeleteResource: what cannot be decoded
  bool owner_texts_name_field = true;       // ValidateOwnerReferences: "kind must not be empty"

  // Names: apimachinery pkg/util/validation/validation.go, pkg/api/validate/content.
  bool labels_worded_by_content = false;    // "a valid label key", bytes; else "a qualified name"
  bool label_names_dots = false;            // IsDNS1123Label: "must not contain dots"
  bool relaxed_env_names = false;           // gate RelaxedEnvironmentVariableValidation
  bool relaxed_service_names = false;       // gate RelaxedServiceNameValidation
  bool relaxed_dns_search = false;          // gate RelaxedDNSSearchValidation
  bool stateful_set_name_is_label = false;  // ValidateStatefulSetName: a DNS label, else subdomain

  // Order of rules: registry strategies' ValidateUpdate calls Validate too, up to 1.35.
  bool updates_validate_as_new = true;

  // Pods: pkg/apis/core/validation/validation.go.
  bool pod_scheduling_readiness = false;     // gate PodSchedulingReadiness: spec.schedulingGates
  bool sidecar_containers = false;           // gate SidecarContainers: restartPolicy of containers
  bool container_restart_rules = false;      // gate ContainerRestartRules: each has its own policy
  bool resize_policy = false;                // gate InPlacePodVerticalScaling: validateResizePolicy
  bool init_resize_policy_refused = false;   // validateInitContainers, without restartable ones
  bool resize_text_names_pod = false;        // "when pod `restartPolicy` is 'Never'"
  bool pod_host_ips = false;                 // gate PodHostIPs: fieldRef status.hostIPs
  bool env_files = false;                    // gate EnvFiles: valueFrom.fileKeyRef
  bool sleep_action_allows_zero = false;     // gate PodLifecycleSleepActionAllowZero
  bool proc_mount_needs_host_users = false;  // ValidateProcMount: Unmasked in a user namespace only
  bool supplemental_groups_policy = false;   // gate SupplementalGroupsPolicy
  bool selinux_change_policy = false;        // gate SELinuxChangePolicy
  bool host_users_as_field = false;          // validateHostUsers: "`hostUsers`" in the text
  bool os_name_needs_text = true;            // validateOS: Required "cannot be empty", else no text
  bool toleration_shown_whole = true;        // ValidateTolerations: Exists with a value
  bool runtime_class_toleration_path_twice = true;  // validateTolerations: tolerations.tolerations
  bool runtime_class_handler_required = false;      // ValidateRuntimeClass: "" is Required
  bool required_node_affinity_values = false;  // ValidateNodeSelectorRequirement checks the values
  bool pod_affinity_label_keys = false;        // validatePodAffinityTerm: matchLabelKeys
  bool spread_label_keys_merge = false;   // gate MatchLabelKeysInPodTopologySpreadSelectorMerge
  bool spread_selector = false;           // validateTopologySpreadConstraints: labelSelector
  bool sources_text_says_volume = false;  // validateProjectionSources: "1 volume type per source"
  bool csi_driver_empty_once = false;     // validateCSIVolumeSource: an empty driver is one error
  bool updatable_fields_of_125 = true;    // ValidatePodUpdate: the list of what may change
  bool pod_update_keeps_qos = false;      // ValidatePodUpdate: "Pod QoS is immutable", 1.27 to 1.31
  bool status_update_keeps_qos = false;   // ValidatePodStatusUpdate: status.qosClass, from 1.32 on
  bool status_conditions_under_status = false;  // ValidatePodStatusUpdate: the path, from 1.33 on
  bool pod_observed_generation = false;         // gate PodObservedGenerationTracking

  // Other kinds: pkg/apis/{apps,batch,core,discovery}/validation.
  bool stateful_set_template = false;         // ValidatePodTemplateSpecForStatefulSet in full
  bool stateful_set_service_name = false;     // ValidateStatefulSetSpec: spec.serviceName
  bool stateful_set_updates_history = false;  // ValidateStatefulSetUpdate: revisionHistoryLimit
  bool revision_data_is_json = false;         // ValidateControllerRevisionCreate: data at create
  bool stateful_set_start_ordinal = false;    // gate StatefulSetStartOrdinal: ordinals
  bool cron_refuses_time_zone = false;        // validateScheduleFormat: TZ= in the schedule
  bool elastic_indexed_job = false;           // gate ElasticIndexedJob: completions may change
  bool slice_address_is_ip = false;           // EndpointSlice: first whether it is an IP at all
  bool node_repeated_cidrs = true;            // ValidateNode: a podCIDR that repeats, one by one

  // Preparation: pkg/registry/core/pod/strategy.go, pkg/api/pod/util.go, batch/job/strategy.go.
  bool pod_resize = false;                // the subresource resize, from 1.33 on
  bool pod_generation = false;            // metadata.generation of pods, from 1.33 on
  bool pod_status_restores_qos = false;   // PrepareForUpdate of /status puts qosClass back
  bool drops_disabled_pod_fields = true;  // dropDisabledFields: user namespaces, procMount, ...
  bool pod_affinity_merges_keys = false;  // gate MatchLabelKeysInPodAffinity, from 1.31 on
  bool gated_condition_has_time = false;  // applySchedulingGatedCondition, from 1.31 on
  bool job_prefixed_labels = false;       // batch.kubernetes.io/ labels of a Job's pods, from 1.27
  bool job_tracking_annotation = true;    // addJobTrackingAnnotation, up to 1.26
  bool job_backoff_limit_per_index = false;  // gates JobBackoffLimitPerIndex, JobPodFailurePolicy
  bool job_managed_by = false;               // gates JobManagedBy, JobSuccessPolicy
  // Gates MutablePodResourcesForSuspendedJobs, MutableSchedulingDirectivesForSuspendedJobs.
  bool job_suspended_may_change = false;

  // Defaults: pkg/apis/{core,apps,batch}/v1/defaults.go.
  bool template_host_ports = true;          // gate DefaultHostNetworkHostPortsInPodTemplates
  bool stateful_set_auto_delete = false;    // gate StatefulSetAutoDeletePVC, from 1.27 on
  bool job_pod_replacement_policy = false;  // gate JobPodReplacementPolicy, from 1.29 on
  bool job_manual_selector = false;         // SetDefaults_Job: manualSelector

  // Warnings: pkg/api/pod/warnings.go, pkg/api/node/util.go.
  bool warns_of_port_names = false;        // a port name that repeats
  bool warns_of_newer_old_labels = false;  // node labels that became deprecated after 1.30
  bool warns_of_affinity_values = false;   // preferred terms with bad values, from 1.33 on
  bool warns_git_repo_is_off = false;      // gate GitRepoVolumeDriver, off from 1.33 on
  bool warns_of_pod_names = false;         // a name that is no label, of pods and their owners

  // Kinds and their versions: pkg/controlplane/instance.go, DefaultAPIResourceConfigSource.
  bool webhook_match_conditions = false;   // matchConditions of webhooks, from 1.28 on
  bool serves_admission_policies = false;  // ValidatingAdmissionPolicy at v1
  bool serves_device_claims = false;       // resource.k8s.io/v1, from 1.34 on
  bool serves_flow_control_v1 = false;
  bool serves_flow_control_beta = true;    // v1beta2
  bool serves_flow_control_beta3 = false;  // v1beta3, from 1.26 to 1.31
  bool serves_mutating_policies = false;   // MutatingAdmissionPolicy at v1, from 1.36 on
  bool serves_service_cidrs = false;       // ServiceCIDR and IPAddress at v1, from 1.33 on
  bool stores_slices_as_beta = true;       // EndpointSlices and validating policies, in v1beta1
  bool serves_volume_attributes_classes = false;  // VolumeAttributesClass at v1, from 1.34 on

  // HorizontalPodAutoscalers: pkg/apis/autoscaling/validation/validation.go.
  bool hpa_max_replicas_required = false;  // 0 is Required, else "must be greater than 0"
  bool hpa_checks_api_version = false;     // ValidateAPIVersion of references

  // Warnings of other kinds: pkg/registry/*/*/strategy.go, pkg/api/*/{warnings,util}.go.
  bool warns_of_ip_forms = false;           // GetWarningsForIP, GetWarningsForCIDR, from 1.33 on
  bool warns_of_services = false;           // GetWarningsForService
  bool warns_of_ignored_fields = false;     // of headless services; externalIPs, PreferClose
  bool warns_of_ingress_class = false;      // the annotation kubernetes.io/ingress.class
  bool warns_of_fqdn_slices = false;        // warnOnDeprecatedAddressType
  bool warns_of_old_volumes = false;        // PersistentVolumes: annotations, Recycle, old plugins
  bool warns_of_mount_options = false;      // the annotation mount-options, from 1.31 on
  bool warns_of_claims = false;             // GetWarningsForPersistentVolumeClaim
  bool warns_of_history_limit = false;      // StatefulSets: a negative revisionHistoryLimit
  bool warns_of_large_jobs = false;         // WarningsForJobSpec: large Indexed Jobs
  bool warns_of_key_pairs = false;          // Secrets: warningsForSecret
  bool warns_of_quotas = false;             // ResourceQuotas: requests above limits
  bool warns_of_mountable_secrets = false;  // ServiceAccounts, from 1.32 on
  bool warns_of_token_requests = false;     // gate CSIServiceAccountTokenSecrets, from 1.35 on
  bool warns_of_static_names = false;       // WarningsForStaticSuffix
  bool warns_of_finalizers = false;         // custom resources: generateWarningsFromObj
  bool finalizers_want_path = false;        // validateKubeFinalizerName: "including a path (/)"
  bool warns_of_external_id = false;        // Nodes: spec.externalID; configSource "is removed"
  bool cron_time_zone_is_refused = false;   // CronJobs: "cannot use TZ", else "not supported"
  bool controller_template_under_spec = false;  // ReplicationControllers: the path of a create

  // Custom resources: apiextensions-apiserver pkg/registry/customresource,
  // pkg/apiserver/validation.
  bool ratchets_custom_resources = false;  // gate CRDValidationRatcheting, from 1.30 on
  bool ratchets_custom_status = false;     // statusStrategy.ValidateUpdate too
  bool custom_status_has_path = false;     // ValidateStatusUpdate: errors are under status
  bool webhook_services_unworded = false;  // ValidateWebhookService: a missing name without a text
  int cel_minor = 25;                      // pkg/cel/environment: whose CEL there is
  bool rules_have_messages = false;        // ValidationRule: messageExpression, reason, fieldPath
  bool definitions_worded_anew = false;    // validation.go of definitions: texts of 1.36
  bool custom_selectable_fields = false;   // gate CustomResourceFieldSelectors, from 1.31 on
  bool schemas_judge_number_ranges = false;  // numberValidator knows its type and format
  bool schemas_know_name_formats = false;  // formats k8s-short-name and k8s-long-name, from 1.34 on

  // Server-side apply: structured-merge-diff typed/helpers.go, before v6.
  bool applied_items_have_all_keys = true;

  // Decoding: sigs.k8s.io/json. A type error names the embedded structs on its way.
  bool type_errors_name_embedded = false;

  // Quotas: pkg/quota/v1/evaluator/core.
  bool quota_judges_pod_updates = false;        // podEvaluator.Handles: resize, changed scope
  bool quota_pod_level_resources = false;       // gate PodLevelResources, from 1.34 on
  bool quota_device_classes = false;            // IsDRAExtendedResourceName
  bool quota_counts_allocated_storage = false;  // gate RecoverVolumeExpansionFailure, from 1.32 on
  bool quota_volume_attributes_scope = false;   // the scope VolumeAttributesClass, from 1.34 on

  // Services: pkg/registry/core/service.
  bool node_ports_have_static_band = false;  // gate ServiceNodePortStaticSubrange
  // gate MultiCIDRServiceAllocator: the words in which an address is refused.
  bool services_have_many_ranges = false;

  // The host ports that a pod holds, and the moment from which it is available.
  bool sidecars_hold_host_ports = false;  // pkg/scheduler/util GetHostPorts, from 1.33 on
  bool available_at_due_time = false;     // podutils.IsPodAvailable: <=, else <
};

const Profile& ProfileOf(Compat compat);

}  // namespace ksim::api
