// The built-in kinds and the parts that no PodSpec has: the fields and Go types of k8s.io/api
// v0.36.0. schema_types.h says how to read it.
#include "ksim/api/schema/schema_types.h"

namespace ksim::api {

std::string_view KindTypes() {
  return R"(
AggregationRule: clusterRoleSelectors=[]LabelSelector
AttachedVolume: devicePath!=string name!=s:UniqueVolumeName
Binding: apiVersion=string kind=string metadata=ObjectMeta target!=ObjectReference
ClientIPConfig: timeoutSeconds=*int32
ClusterRole: aggregationRule=*AggregationRule apiVersion=string kind=string metadata=ObjectMeta
   rules!=[]PolicyRule
ClusterRoleBinding: apiVersion=string kind=string metadata=ObjectMeta roleRef!=RoleRef
   subjects=[]Subject
ConfigMap: apiVersion=string binaryData={}bytes data={}string immutable=*bool kind=string
   metadata=ObjectMeta
ConfigMapNodeConfigSource: kubeletConfigKey!=string name!=string namespace!=string
   resourceVersion=string uid=s:types.UID
ContainerExtendedResourceRequest: containerName!=string requestName!=string resourceName!=string
ContainerImage: names!=[]string sizeBytes=int64
ContainerState: running=*ContainerStateRunning terminated=*ContainerStateTerminated
   waiting=*ContainerStateWaiting
ContainerStateRunning: startedAt=Time
ContainerStateTerminated: containerID=string exitCode!=int32 finishedAt=Time message=string
   reason=string signal=int32 startedAt=Time
ContainerStateWaiting: message=string reason=string
ContainerStatus: allocatedResources={}Quantity@ResourceList
   allocatedResourcesStatus=[]ResourceStatus containerID=string image!=string imageID!=string
   lastState=ContainerState name!=string ready!=bool resources=*ResourceRequirements
   restartCount!=int32 started=*bool state=ContainerState stopSignal=*s:Signal user=*ContainerUser
   volumeMounts=[]VolumeMountStatus
ContainerUser: linux=*LinuxContainerUser
ControllerRevision: apiVersion=string data=Raw kind=string metadata=ObjectMeta revision!=int64
CronJob: apiVersion=string kind=string metadata=ObjectMeta spec=CronJobSpec status=CronJobStatus
CronJobSpec: concurrencyPolicy=s:ConcurrencyPolicy failedJobsHistoryLimit=*int32
   jobTemplate!=JobTemplateSpec schedule!=string startingDeadlineSeconds=*int64
   successfulJobsHistoryLimit=*int32 suspend=*bool timeZone=*string
CronJobStatus: active=[]ObjectReference lastScheduleTime=*Time lastSuccessfulTime=*Time
CustomResourceColumnDefinition: description=string format=string jsonPath!=string name!=string
   priority=int32 type!=string
CustomResourceConversion: strategy!=s:ConversionStrategyType webhook=Raw
CustomResourceDefinition: apiVersion=string kind=string metadata=ObjectMeta
   spec!=CustomResourceDefinitionSpec status=CustomResourceDefinitionStatus
CustomResourceDefinitionCondition: lastTransitionTime=Time message=string observedGeneration=int64
   reason=string status!=s:ConditionStatus type!=s:CustomResourceDefinitionConditionType
CustomResourceDefinitionNames: categories=[]string kind!=string listKind=string plural!=string
   shortNames=[]string singular=string
CustomResourceDefinitionSpec: conversion=*CustomResourceConversion group!=string
   names!=CustomResourceDefinitionNames preserveUnknownFields=bool scope!=s:ResourceScope
   versions!=[]CustomResourceDefinitionVersion
CustomResourceDefinitionStatus: acceptedNames!=CustomResourceDefinitionNames
   conditions!=[]CustomResourceDefinitionCondition observedGeneration=int64
   storedVersions!=[]string
CustomResourceDefinitionVersion: additionalPrinterColumns=[]CustomResourceColumnDefinition
   deprecated=bool deprecationWarning=*string name!=string schema=*CustomResourceValidation
   selectableFields=[]SelectableField served!=bool storage!=bool
   subresources=*CustomResourceSubresources
CustomResourceSubresourceScale: labelSelectorPath=*string specReplicasPath!=string
   statusReplicasPath!=string
CustomResourceSubresources: scale=*CustomResourceSubresourceScale status=*Raw
CustomResourceValidation: openAPIV3Schema=Raw
DaemonEndpoint: Port!=int32
DaemonSet: apiVersion=string kind=string metadata=ObjectMeta spec=DaemonSetSpec
   status=DaemonSetStatus
DaemonSetCondition: lastTransitionTime=Time message=string reason=string status!=s:ConditionStatus
   type!=s:DaemonSetConditionType
DaemonSetSpec: minReadySeconds=int32 revisionHistoryLimit=*int32 selector!=*LabelSelector
   template!=PodTemplateSpec updateStrategy=DaemonSetUpdateStrategy
DaemonSetStatus: collisionCount=*int32 conditions=[]DaemonSetCondition
   currentNumberScheduled!=int32 desiredNumberScheduled!=int32 numberAvailable=int32
   numberMisscheduled!=int32 numberReady!=int32 numberUnavailable=int32 observedGeneration=int64
   updatedNumberScheduled=int32
DaemonSetUpdateStrategy: rollingUpdate=*RollingUpdateDaemonSet type=s:DaemonSetUpdateStrategyType
DeleteOptions: apiVersion=string dryRun=[]string gracePeriodSeconds=*int64
   ignoreStoreReadErrorWithClusterBreakingPotential=*bool kind=string orphanDependents=*bool
   preconditions=*Preconditions propagationPolicy=*s:DeletionPropagation
Deployment: apiVersion=string kind=string metadata=ObjectMeta spec=DeploymentSpec
   status=DeploymentStatus
DeploymentCondition: lastTransitionTime=Time lastUpdateTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:DeploymentConditionType
DeploymentSpec: minReadySeconds=int32 paused=bool progressDeadlineSeconds=*int32 replicas=*int32
   revisionHistoryLimit=*int32 selector!=*LabelSelector strategy=DeploymentStrategy
   template!=PodTemplateSpec
DeploymentStatus: availableReplicas=int32 collisionCount=*int32 conditions=[]DeploymentCondition
   observedGeneration=int64 readyReplicas=int32 replicas=int32 terminatingReplicas=*int32
   unavailableReplicas=int32 updatedReplicas=int32
DeploymentStrategy: rollingUpdate=*RollingUpdateDeployment type=s:DeploymentStrategyType
DiscoveryEndpointPort: appProtocol=*string name=*string port=*int32 protocol=*s:Protocol
Endpoint: addresses!=[]string conditions=EndpointConditions deprecatedTopology={}string
   hints=*EndpointHints hostname=*string nodeName=*string targetRef=*ObjectReference zone=*string
EndpointAddress: hostname=string ip!=string nodeName=*string targetRef=*ObjectReference
EndpointConditions: ready=*bool serving=*bool terminating=*bool
EndpointHints: forNodes=[]ForNode forZones=[]ForZone
EndpointPort: appProtocol=*string name=string port!=int32 protocol=s:Protocol
EndpointSlice: addressType!=s:AddressType apiVersion=string endpoints!=[]Endpoint kind=string
   metadata=ObjectMeta ports!=[]DiscoveryEndpointPort
EndpointSubset: addresses=[]EndpointAddress notReadyAddresses=[]EndpointAddress
   ports=[]EndpointPort
Endpoints: apiVersion=string kind=string metadata=ObjectMeta subsets=[]EndpointSubset
Event: action=string apiVersion=string count=int32 eventTime=MicroTime firstTimestamp=Time
   involvedObject!=ObjectReference kind=string lastTimestamp=Time message=string
   metadata!=ObjectMeta reason=string related=*ObjectReference reportingComponent!=string
   reportingInstance!=string series=*EventSeries source=EventSource type=string
EventSeries: count=int32 lastObservedTime=MicroTime
EventSource: component=string host=string
EventsEvent: action=string apiVersion=string deprecatedCount=int32 deprecatedFirstTimestamp=Time
   deprecatedLastTimestamp=Time deprecatedSource=EventSource eventTime!=MicroTime kind=string
   metadata!=ObjectMeta note=string reason=string regarding=ObjectReference
   related=*ObjectReference reportingController=string reportingInstance=string
   series=*EventsEventSeries type=string
EventsEventSeries: count!=int32 lastObservedTime!=MicroTime
Eviction: apiVersion=string deleteOptions=*DeleteOptions kind=string metadata=ObjectMeta
ForNode: name!=string
ForZone: name!=string
HostIP: ip!=string
ImageVolumeStatus: imageRef=string
Job: apiVersion=string kind=string metadata=ObjectMeta spec=JobSpec status=JobStatus
JobCondition: lastProbeTime=Time lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:JobConditionType
JobSpec: activeDeadlineSeconds=*int64 backoffLimit=*int32 backoffLimitPerIndex=*int32
   completionMode=*s:CompletionMode completions=*int32 managedBy=*string manualSelector=*bool
   maxFailedIndexes=*int32 parallelism=*int32 podFailurePolicy=*PodFailurePolicy
   podReplacementPolicy=*s:PodReplacementPolicy selector=*LabelSelector
   successPolicy=*SuccessPolicy suspend=*bool template!=PodTemplateSpec
   ttlSecondsAfterFinished=*int32
JobStatus: active=int32 completedIndexes=string completionTime=*Time conditions=[]JobCondition
   failed=int32 failedIndexes=*string ready=*int32 startTime=*Time succeeded=int32
   terminating=*int32 uncountedTerminatedPods=*UncountedTerminatedPods
JobTemplateSpec: metadata=ObjectMeta spec=JobSpec
Lease: apiVersion=string kind=string metadata=ObjectMeta spec=LeaseSpec
LeaseSpec: acquireTime=*MicroTime holderIdentity=*string leaseDurationSeconds=*int32
   leaseTransitions=*int32 preferredHolder=*string renewTime=*MicroTime
   strategy=*s:CoordinatedLeaseStrategy
LimitRange: apiVersion=string kind=string metadata=ObjectMeta spec=LimitRangeSpec
LimitRangeItem: default={}Quantity@ResourceList defaultRequest={}Quantity@ResourceList
   max={}Quantity@ResourceList maxLimitRequestRatio={}Quantity@ResourceList
   min={}Quantity@ResourceList type!=s:LimitType
LimitRangeSpec: limits!=[]LimitRangeItem
LinuxContainerUser: gid!=int64 supplementalGroups=[]int64 uid!=int64
LoadBalancerIngress: hostname=string ip=string ipMode=*s:LoadBalancerIPMode ports=[]PortStatus
LoadBalancerStatus: ingress=[]LoadBalancerIngress
ModifyVolumeStatus: status!=s:PersistentVolumeClaimModifyVolumeStatus
   targetVolumeAttributesClassName=string
Namespace: apiVersion=string kind=string metadata=ObjectMeta spec=NamespaceSpec
   status=NamespaceStatus
NamespaceCondition: lastTransitionTime=Time message=string reason=string status!=s:ConditionStatus
   type!=s:NamespaceConditionType
NamespaceSpec: finalizers=[]s:FinalizerName
NamespaceStatus: conditions=[]NamespaceCondition phase=s:NamespacePhase
Node: apiVersion=string kind=string metadata=ObjectMeta spec=NodeSpec status=NodeStatus
NodeAddress: address!=string type!=s:NodeAddressType
NodeAllocatableResourceClaimStatus: containers=[]string resourceClaimName!=string
   resources!={}Quantity
NodeCondition: lastHeartbeatTime=Time lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:NodeConditionType
NodeConfigSource: configMap=*ConfigMapNodeConfigSource
NodeConfigStatus: active=*NodeConfigSource assigned=*NodeConfigSource error=string
   lastKnownGood=*NodeConfigSource
NodeDaemonEndpoints: kubeletEndpoint=DaemonEndpoint
NodeFeatures: supplementalGroupsPolicy=*bool
NodeRuntimeHandler: features=*NodeRuntimeHandlerFeatures name!=string
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts=*bool userNamespaces=*bool
NodeSpec: configSource=*NodeConfigSource externalID=string podCIDR=string podCIDRs=[]string
   providerID=string taints=[]Taint unschedulable=bool
NodeStatus: addresses=[]NodeAddress allocatable={}Quantity@ResourceList
   capacity={}Quantity@ResourceList conditions=[]NodeCondition config=*NodeConfigStatus
   daemonEndpoints=NodeDaemonEndpoints declaredFeatures=[]string features=*NodeFeatures
   images=[]ContainerImage nodeInfo=NodeSystemInfo phase=s:NodePhase
   runtimeHandlers=[]NodeRuntimeHandler volumesAttached=[]AttachedVolume
   volumesInUse=[]s:UniqueVolumeName
NodeSwapStatus: capacity=*int64
NodeSystemInfo: architecture!=string bootID!=string containerRuntimeVersion!=string
   kernelVersion!=string kubeProxyVersion!=string kubeletVersion!=string machineID!=string
   operatingSystem!=string osImage!=string swap=*NodeSwapStatus systemUUID!=string
ObjectReference: apiVersion=string fieldPath=string kind=string name=string namespace=string
   resourceVersion=string uid=s:types.UID
PersistentVolumeClaim: apiVersion=string kind=string metadata=ObjectMeta
   spec=PersistentVolumeClaimSpec status=PersistentVolumeClaimStatus
PersistentVolumeClaimCondition: lastProbeTime=Time lastTransitionTime=Time message=string
   reason=string status!=s:ConditionStatus type!=s:PersistentVolumeClaimConditionType
PersistentVolumeClaimStatus: accessModes=[]s:PersistentVolumeAccessMode
   allocatedResourceStatuses={}s:ClaimResourceStatus allocatedResources={}Quantity@ResourceList
   capacity={}Quantity@ResourceList conditions=[]PersistentVolumeClaimCondition
   currentVolumeAttributesClassName=*string modifyVolumeStatus=*ModifyVolumeStatus
   phase=s:PersistentVolumeClaimPhase
Pod: apiVersion=string kind=string metadata=ObjectMeta spec=PodSpec status=PodStatus
PodCondition: lastProbeTime=Time lastTransitionTime=Time message=string observedGeneration=int64
   reason=string status!=s:ConditionStatus type!=s:PodConditionType
PodDisruptionBudget: apiVersion=string kind=string metadata=ObjectMeta
   spec=PodDisruptionBudgetSpec status=PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: maxUnavailable=*IntOrString minAvailable=*IntOrString
   selector=*LabelSelector unhealthyPodEvictionPolicy=*s:UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus: conditions=[]Condition currentHealthy!=int32 desiredHealthy!=int32
   disruptedPods={}Time disruptionsAllowed!=int32 expectedPods!=int32 observedGeneration=int64
PodExtendedResourceClaimStatus: requestMappings!=[]ContainerExtendedResourceRequest
   resourceClaimName!=string
PodFailurePolicy: rules!=[]PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement: containerName=*string
   operator!=s:PodFailurePolicyOnExitCodesOperator values!=[]int32
PodFailurePolicyOnPodConditionsPattern: status!=s:ConditionStatus type!=s:PodConditionType
PodFailurePolicyRule: action!=s:PodFailurePolicyAction
   onExitCodes=*PodFailurePolicyOnExitCodesRequirement
   onPodConditions=[]PodFailurePolicyOnPodConditionsPattern
PodIP: ip!=string
PodResourceClaimStatus: name!=string resourceClaimName=*string
PodStatus: allocatedResources={}Quantity@ResourceList conditions=[]PodCondition
   containerStatuses=[]ContainerStatus ephemeralContainerStatuses=[]ContainerStatus
   extendedResourceClaimStatus=*PodExtendedResourceClaimStatus hostIP=string hostIPs=[]HostIP
   initContainerStatuses=[]ContainerStatus message=string
   nodeAllocatableResourceClaimStatuses=[]NodeAllocatableResourceClaimStatus
   nominatedNodeName=string observedGeneration=int64 phase=s:PodPhase podIP=string podIPs=[]PodIP
   qosClass=s:PodQOSClass reason=string resize=s:PodResizeStatus
   resourceClaimStatuses=[]PodResourceClaimStatus resources=*ResourceRequirements startTime=*Time
PodTemplate: apiVersion=string kind=string metadata=ObjectMeta template=PodTemplateSpec
PodTemplateSpec: metadata=ObjectMeta spec=PodSpec
PolicyRule: apiGroups=[]string nonResourceURLs=[]string resourceNames=[]string resources=[]string
   verbs!=[]string
PortStatus: error=*string port!=int32 protocol!=s:Protocol
Preconditions: resourceVersion=*string uid=*s:types.UID
PriorityClass: apiVersion=string description=string globalDefault=bool kind=string
   metadata=ObjectMeta preemptionPolicy=*s:PreemptionPolicy value!=int32
ReplicaSet: apiVersion=string kind=string metadata=ObjectMeta spec=ReplicaSetSpec
   status=ReplicaSetStatus
ReplicaSetCondition: lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:ReplicaSetConditionType
ReplicaSetSpec: minReadySeconds=int32 replicas=*int32 selector!=*LabelSelector
   template=PodTemplateSpec
ReplicaSetStatus: availableReplicas=int32 conditions=[]ReplicaSetCondition
   fullyLabeledReplicas=int32 observedGeneration=int64 readyReplicas=int32 replicas!=int32
   terminatingReplicas=*int32
ReplicationController: apiVersion=string kind=string metadata=ObjectMeta
   spec=ReplicationControllerSpec status=ReplicationControllerStatus
ReplicationControllerCondition: lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:ReplicationControllerConditionType
ReplicationControllerSpec: minReadySeconds=int32 replicas=*int32 selector={}string
   template=*PodTemplateSpec
ReplicationControllerStatus: availableReplicas=int32 conditions=[]ReplicationControllerCondition
   fullyLabeledReplicas=int32 observedGeneration=int64 readyReplicas=int32 replicas!=int32
ResourceHealth: health=s:ResourceHealthStatus message=*string resourceID!=s:ResourceID
ResourceQuota: apiVersion=string kind=string metadata=ObjectMeta spec=ResourceQuotaSpec
   status=ResourceQuotaStatus
ResourceQuotaSpec: hard={}Quantity@ResourceList scopeSelector=*ScopeSelector
   scopes=[]s:ResourceQuotaScope
ResourceQuotaStatus: hard={}Quantity@ResourceList used={}Quantity@ResourceList
ResourceStatus: name!=s:ResourceName resources=[]ResourceHealth
Role: apiVersion=string kind=string metadata=ObjectMeta rules!=[]PolicyRule
RoleBinding: apiVersion=string kind=string metadata=ObjectMeta roleRef!=RoleRef
   subjects=[]Subject
RoleRef: apiGroup!=string kind!=string name!=string
RollingUpdateDaemonSet: maxSurge=*IntOrString maxUnavailable=*IntOrString
RollingUpdateDeployment: maxSurge=*IntOrString maxUnavailable=*IntOrString
RollingUpdateStatefulSetStrategy: maxUnavailable=*IntOrString partition=*int32
Scale: apiVersion=string kind=string metadata=ObjectMeta spec=ScaleSpec status=ScaleStatus
ScaleSpec: replicas=int32
ScaleStatus: replicas!=int32 selector=string
ScopeSelector: matchExpressions=[]ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: operator!=s:ScopeSelectorOperator
   scopeName!=s:ResourceQuotaScope values=[]string
Secret: apiVersion=string data={}bytes immutable=*bool kind=string metadata=ObjectMeta
   stringData={}string type=s:SecretType
SelectableField: jsonPath!=string
Service: apiVersion=string kind=string metadata=ObjectMeta spec=ServiceSpec status=ServiceStatus
ServiceAccount: apiVersion=string automountServiceAccountToken=*bool
   imagePullSecrets=[]LocalObjectReference kind=string metadata=ObjectMeta
   secrets=[]ObjectReference
ServicePort: appProtocol=*string name=string nodePort=int32 port!=int32 protocol=s:Protocol
   targetPort=IntOrString
ServiceSpec: allocateLoadBalancerNodePorts=*bool clusterIP=string clusterIPs=[]string
   externalIPs=[]string externalName=string externalTrafficPolicy=s:ServiceExternalTrafficPolicy
   healthCheckNodePort=int32 internalTrafficPolicy=*s:ServiceInternalTrafficPolicy
   ipFamilies=[]s:IPFamily ipFamilyPolicy=*s:IPFamilyPolicy loadBalancerClass=*string
   loadBalancerIP=string loadBalancerSourceRanges=[]string ports=[]ServicePort
   publishNotReadyAddresses=bool selector={}string sessionAffinity=s:ServiceAffinity
   sessionAffinityConfig=*SessionAffinityConfig trafficDistribution=*string type=s:ServiceType
ServiceStatus: conditions=[]Condition loadBalancer=LoadBalancerStatus
SessionAffinityConfig: clientIP=*ClientIPConfig
StatefulSet: apiVersion=string kind=string metadata=ObjectMeta spec=StatefulSetSpec
   status=StatefulSetStatus
StatefulSetCondition: lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:StatefulSetConditionType
StatefulSetOrdinals: start!=int32
StatefulSetPersistentVolumeClaimRetentionPolicy:
   whenDeleted=s:PersistentVolumeClaimRetentionPolicyType
   whenScaled=s:PersistentVolumeClaimRetentionPolicyType
StatefulSetSpec: minReadySeconds=int32 ordinals=*StatefulSetOrdinals
   persistentVolumeClaimRetentionPolicy=*StatefulSetPersistentVolumeClaimRetentionPolicy
   podManagementPolicy=s:PodManagementPolicyType replicas=*int32 revisionHistoryLimit=*int32
   selector!=*LabelSelector serviceName!=string template!=PodTemplateSpec
   updateStrategy=StatefulSetUpdateStrategy volumeClaimTemplates=[]PersistentVolumeClaim
StatefulSetStatus: availableReplicas!=int32 collisionCount=*int32
   conditions=[]StatefulSetCondition currentReplicas=int32 currentRevision=string
   observedGeneration=int64 readyReplicas=int32 replicas!=int32 updateRevision=string
   updatedReplicas=int32
StatefulSetUpdateStrategy: rollingUpdate=*RollingUpdateStatefulSetStrategy
   type=s:StatefulSetUpdateStrategyType
Subject: apiGroup=string kind!=string name!=string namespace=string
SuccessPolicy: rules!=[]SuccessPolicyRule
SuccessPolicyRule: succeededCount=*int32 succeededIndexes=*string
Taint: effect!=s:TaintEffect key!=string timeAdded=*Time value=string
UncountedTerminatedPods: failed=[]s:types.UID succeeded=[]s:types.UID
VolumeMountStatus: mountPath!=string name!=string readOnly=bool
   recursiveReadOnly=*s:RecursiveReadOnlyMode volumeStatus=*VolumeStatus
VolumeStatus: image=*ImageVolumeStatus
)";
}

}  // namespace ksim::api
