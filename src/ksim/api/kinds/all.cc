// The register of the built-in kinds: one row a kind, in the order in which kubectl prefers them.
// The place in it is the kind's number (ResourceInfo::builtin_number).
#include "ksim/api/core/kind_spec.h"

namespace ksim::api {

#define KSIM_KINDS(X)                      \
  X(kNamespaceKind)                        \
  X(kNodeKind)                             \
  X(kPodKind)                              \
  X(kReplicationControllerKind)            \
  X(kServiceKind)                          \
  X(kEndpointsKind)                        \
  X(kConfigMapKind)                        \
  X(kSecretKind)                           \
  X(kServiceAccountKind)                   \
  X(kEventKind)                            \
  X(kPersistentVolumeKind)                 \
  X(kPersistentVolumeClaimKind)            \
  X(kResourceQuotaKind)                    \
  X(kLimitRangeKind)                       \
  X(kPodTemplateKind)                      \
  X(kDeploymentKind)                       \
  X(kReplicaSetKind)                       \
  X(kStatefulSetKind)                      \
  X(kDaemonSetKind)                        \
  X(kControllerRevisionKind)               \
  X(kJobKind)                              \
  X(kCronJobKind)                          \
  X(kHorizontalPodAutoscalerKind)          \
  X(kHorizontalPodAutoscalerV1Kind)        \
  X(kCertificateSigningRequestKind)        \
  X(kPodDisruptionBudgetKind)              \
  X(kLeaseKind)                            \
  X(kEndpointSliceKind)                    \
  X(kEventsEventKind)                      \
  X(kDeviceClassKind)                      \
  X(kResourceClaimKind)                    \
  X(kResourceClaimTemplateKind)            \
  X(kResourceSliceKind)                    \
  X(kPriorityClassKind)                    \
  X(kIngressKind)                          \
  X(kIngressClassKind)                     \
  X(kNetworkPolicyKind)                    \
  X(kIPAddressKind)                        \
  X(kServiceCIDRKind)                      \
  X(kRoleKind)                             \
  X(kRoleBindingKind)                      \
  X(kClusterRoleKind)                      \
  X(kClusterRoleBindingKind)               \
  X(kStorageClassKind)                     \
  X(kVolumeAttachmentKind)                 \
  X(kCSIDriverKind)                        \
  X(kCSINodeKind)                          \
  X(kCSIStorageCapacityKind)               \
  X(kVolumeAttributesClassKind)            \
  X(kRuntimeClassKind)                     \
  X(kValidatingWebhookConfigurationKind)   \
  X(kMutatingWebhookConfigurationKind)     \
  X(kValidatingAdmissionPolicyKind)        \
  X(kValidatingAdmissionPolicyBindingKind) \
  X(kMutatingAdmissionPolicyKind)          \
  X(kMutatingAdmissionPolicyBindingKind)   \
  X(kFlowSchemaKind)                       \
  X(kFlowSchemaBeta3Kind)                  \
  X(kFlowSchemaBetaKind)                   \
  X(kPriorityLevelConfigurationKind)       \
  X(kPriorityLevelConfigurationBeta3Kind)  \
  X(kPriorityLevelConfigurationBetaKind)   \
  X(kAPIServiceKind)                       \
  X(kCustomResourceDefinitionKind)

#define KSIM_DECLARE(spec) extern const KindSpec spec;
KSIM_KINDS(KSIM_DECLARE)
#undef KSIM_DECLARE

std::span<const KindSpec* const> KindSpecs() {
#define KSIM_ADDRESS(spec) &spec,
  static constexpr const KindSpec* kSpecs[] = {KSIM_KINDS(KSIM_ADDRESS)};
#undef KSIM_ADDRESS
  return kSpecs;
}

#undef KSIM_KINDS

}  // namespace ksim::api
