// PodSpec and the structs in it: the fields and Go types of k8s.io/api v0.36.0. go_types.h
// describes the notation.
#include "ksim/api/schema/go_types.h"

namespace ksim::api {

std::string_view PodTypes() {
  return R"(
AWSElasticBlockStoreVolumeSource: fsType=string partition=int32 readOnly=bool volumeID!=string
Affinity: nodeAffinity=*NodeAffinity podAffinity=*PodAffinity podAntiAffinity=*PodAntiAffinity
AppArmorProfile: localhostProfile=*string type!=s:AppArmorProfileType
AzureDiskVolumeSource: cachingMode=*s:AzureDataDiskCachingMode diskName!=string diskURI!=string
   fsType=*string kind=*s:AzureDataDiskKind readOnly=*bool
AzureFileVolumeSource: readOnly=bool secretName!=string shareName!=string
CSIVolumeSource: driver!=string fsType=*string nodePublishSecretRef=*LocalObjectReference
   readOnly=*bool volumeAttributes={}string
Capabilities: add=[]s:Capability drop=[]s:Capability
CephFSVolumeSource: monitors!=[]string path=string readOnly=bool secretFile=string
   secretRef=*LocalObjectReference user=string
CinderVolumeSource: fsType=string readOnly=bool secretRef=*LocalObjectReference volumeID!=string
ClusterTrustBundleProjection: labelSelector=*LabelSelector name=*string optional=*bool
   path!=string signerName=*string
ConfigMapEnvSource: name=string optional=*bool
ConfigMapKeySelector: key!=string name=string optional=*bool
ConfigMapProjection: items=[]KeyToPath name=string optional=*bool
ConfigMapVolumeSource: defaultMode=*int32 items=[]KeyToPath name=string optional=*bool
Container: args=[]string command=[]string env=[]EnvVar envFrom=[]EnvFromSource image=string
   imagePullPolicy=s:PullPolicy lifecycle=*Lifecycle livenessProbe=*Probe name!=string
   ports=[]ContainerPort readinessProbe=*Probe resizePolicy=[]ContainerResizePolicy
   resources=ResourceRequirements restartPolicy=*s:ContainerRestartPolicy
   restartPolicyRules=[]ContainerRestartRule securityContext=*SecurityContext startupProbe=*Probe
   stdin=bool stdinOnce=bool terminationMessagePath=string
   terminationMessagePolicy=s:TerminationMessagePolicy tty=bool volumeDevices=[]VolumeDevice
   volumeMounts=[]VolumeMount workingDir=string
ContainerPort: containerPort!=int32 hostIP=string hostPort=int32 name=string protocol=s:Protocol
ContainerResizePolicy: resourceName!=s:ResourceName restartPolicy!=s:ResourceResizeRestartPolicy
ContainerRestartRule: action=s:ContainerRestartRuleAction
   exitCodes=*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator=s:ContainerRestartRuleOnExitCodesOperator values=[]int32
DownwardAPIProjection: items=[]DownwardAPIVolumeFile
DownwardAPIVolumeFile: fieldRef=*ObjectFieldSelector mode=*int32 path!=string
   resourceFieldRef=*ResourceFieldSelector
DownwardAPIVolumeSource: defaultMode=*int32 items=[]DownwardAPIVolumeFile
EmptyDirVolumeSource: medium=s:StorageMedium sizeLimit=*Quantity
EnvFromSource: configMapRef=*ConfigMapEnvSource prefix=string secretRef=*SecretEnvSource
EnvVar: name!=string value=string valueFrom=*EnvVarSource
EnvVarSource: configMapKeyRef=*ConfigMapKeySelector fieldRef=*ObjectFieldSelector
   fileKeyRef=*FileKeySelector resourceFieldRef=*ResourceFieldSelector
   secretKeyRef=*SecretKeySelector
EphemeralContainer: args=[]string command=[]string env=[]EnvVar envFrom=[]EnvFromSource
   image=string imagePullPolicy=s:PullPolicy lifecycle=*Lifecycle livenessProbe=*Probe
   name!=string ports=[]ContainerPort readinessProbe=*Probe resizePolicy=[]ContainerResizePolicy
   resources=ResourceRequirements restartPolicy=*s:ContainerRestartPolicy
   restartPolicyRules=[]ContainerRestartRule securityContext=*SecurityContext startupProbe=*Probe
   stdin=bool stdinOnce=bool targetContainerName=string terminationMessagePath=string
   terminationMessagePolicy=s:TerminationMessagePolicy tty=bool volumeDevices=[]VolumeDevice
   volumeMounts=[]VolumeMount workingDir=string
EphemeralVolumeSource: volumeClaimTemplate=*PersistentVolumeClaimTemplate
ExecAction: command=[]string
FCVolumeSource: fsType=string lun=*int32 readOnly=bool targetWWNs=[]string wwids=[]string
FileKeySelector: key!=string optional=*bool path!=string volumeName!=string
FlexVolumeSource: driver!=string fsType=string options={}string readOnly=bool
   secretRef=*LocalObjectReference
FlockerVolumeSource: datasetName=string datasetUUID=string
GCEPersistentDiskVolumeSource: fsType=string partition=int32 pdName!=string readOnly=bool
GRPCAction: port!=int32 service!=*string
GitRepoVolumeSource: directory=string repository!=string revision=string
GlusterfsVolumeSource: endpoints!=string path!=string readOnly=bool
HTTPGetAction: host=string httpHeaders=[]HTTPHeader path=string port!=IntOrString
   scheme=s:URIScheme
HTTPHeader: name!=string value!=string
HostAlias: hostnames=[]string ip!=string
HostPathVolumeSource: path!=string type=*s:HostPathType
ISCSIVolumeSource: chapAuthDiscovery=bool chapAuthSession=bool fsType=string initiatorName=*string
   iqn!=string iscsiInterface=string lun!=int32 portals=[]string readOnly=bool
   secretRef=*LocalObjectReference targetPortal!=string
ImageVolumeSource: pullPolicy=s:PullPolicy reference=string
KeyToPath: key!=string mode=*int32 path!=string
Lifecycle: postStart=*LifecycleHandler preStop=*LifecycleHandler stopSignal=*s:Signal
LifecycleHandler: exec=*ExecAction httpGet=*HTTPGetAction sleep=*SleepAction
   tcpSocket=*TCPSocketAction
LocalObjectReference: name=string
NFSVolumeSource: path!=string readOnly=bool server!=string
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution=[]PreferredSchedulingTerm
   requiredDuringSchedulingIgnoredDuringExecution=*NodeSelector
NodeSelector: nodeSelectorTerms!=[]NodeSelectorTerm
NodeSelectorRequirement: key!=string operator!=s:NodeSelectorOperator values=[]string
NodeSelectorTerm: matchExpressions=[]NodeSelectorRequirement matchFields=[]NodeSelectorRequirement
ObjectFieldSelector: apiVersion=string fieldPath!=string
PersistentVolumeClaimSpec: accessModes=[]s:PersistentVolumeAccessMode
   dataSource=*TypedLocalObjectReference dataSourceRef=*TypedObjectReference
   resources=VolumeResourceRequirements selector=*LabelSelector storageClassName=*string
   volumeAttributesClassName=*string volumeMode=*s:PersistentVolumeMode volumeName=string
PersistentVolumeClaimTemplate: metadata=ObjectMeta spec!=PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName!=string readOnly=bool
PhotonPersistentDiskVolumeSource: fsType=string pdID!=string
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution=[]WeightedPodAffinityTerm
   requiredDuringSchedulingIgnoredDuringExecution=[]PodAffinityTerm
PodAffinityTerm: labelSelector=*LabelSelector matchLabelKeys=[]string mismatchLabelKeys=[]string
   namespaceSelector=*LabelSelector namespaces=[]string topologyKey!=string
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution=[]WeightedPodAffinityTerm
   requiredDuringSchedulingIgnoredDuringExecution=[]PodAffinityTerm
PodCertificateProjection: certificateChainPath=string credentialBundlePath=string keyPath=string
   keyType=string maxExpirationSeconds=*int32 signerName=string userAnnotations={}string
PodDNSConfig: nameservers=[]string options=[]PodDNSConfigOption searches=[]string
PodDNSConfigOption: name=string value=*string
PodOS: name!=s:OSName
PodReadinessGate: conditionType!=s:PodConditionType
PodResourceClaim: name!=string resourceClaimName=*string resourceClaimTemplateName=*string
PodSchedulingGate: name!=string
PodSchedulingGroup: podGroupName=*string
PodSecurityContext: appArmorProfile=*AppArmorProfile fsGroup=*int64
   fsGroupChangePolicy=*s:PodFSGroupChangePolicy runAsGroup=*int64 runAsNonRoot=*bool
   runAsUser=*int64 seLinuxChangePolicy=*s:PodSELinuxChangePolicy seLinuxOptions=*SELinuxOptions
   seccompProfile=*SeccompProfile supplementalGroups=[]int64
   supplementalGroupsPolicy=*s:SupplementalGroupsPolicy sysctls=[]Sysctl
   windowsOptions=*WindowsSecurityContextOptions
PodSpec: activeDeadlineSeconds=*int64 affinity=*Affinity automountServiceAccountToken=*bool
   containers!=[]Container dnsConfig=*PodDNSConfig dnsPolicy=s:DNSPolicy enableServiceLinks=*bool
   ephemeralContainers=[]EphemeralContainer hostAliases=[]HostAlias hostIPC=bool hostNetwork=bool
   hostPID=bool hostUsers=*bool hostname=string hostnameOverride=*string
   imagePullSecrets=[]LocalObjectReference initContainers=[]Container nodeName=string
   nodeSelector={}string os=*PodOS overhead={}Quantity@ResourceList
   preemptionPolicy=*s:PreemptionPolicy priority=*int32 priorityClassName=string
   readinessGates=[]PodReadinessGate resourceClaims=[]PodResourceClaim
   resources=*ResourceRequirements restartPolicy=s:RestartPolicy runtimeClassName=*string
   schedulerName=string schedulingGates=[]PodSchedulingGate schedulingGroup=*PodSchedulingGroup
   securityContext=*PodSecurityContext serviceAccount=string serviceAccountName=string
   setHostnameAsFQDN=*bool shareProcessNamespace=*bool subdomain=string
   terminationGracePeriodSeconds=*int64 tolerations=[]Toleration
   topologySpreadConstraints=[]TopologySpreadConstraint volumes=[]Volume
PortworxVolumeSource: fsType=string readOnly=bool volumeID!=string
PreferredSchedulingTerm: preference!=NodeSelectorTerm weight!=int32
Probe: exec=*ExecAction failureThreshold=int32 grpc=*GRPCAction httpGet=*HTTPGetAction
   initialDelaySeconds=int32 periodSeconds=int32 successThreshold=int32 tcpSocket=*TCPSocketAction
   terminationGracePeriodSeconds=*int64 timeoutSeconds=int32
ProjectedVolumeSource: defaultMode=*int32 sources!=[]VolumeProjection
QuobyteVolumeSource: group=string readOnly=bool registry!=string tenant=string user=string
   volume!=string
RBDVolumeSource: fsType=string image!=string keyring=string monitors!=[]string pool=string
   readOnly=bool secretRef=*LocalObjectReference user=string
ResourceClaim: name!=string request=string
ResourceFieldSelector: containerName=string divisor=Quantity resource!=string
ResourceRequirements: claims=[]ResourceClaim limits={}Quantity@ResourceList
   requests={}Quantity@ResourceList
SELinuxOptions: level=string role=string type=string user=string
ScaleIOVolumeSource: fsType=string gateway!=string protectionDomain=string readOnly=bool
   secretRef!=*LocalObjectReference sslEnabled=bool storageMode=string storagePool=string
   system!=string volumeName=string
SeccompProfile: localhostProfile=*string type!=s:SeccompProfileType
SecretEnvSource: name=string optional=*bool
SecretKeySelector: key!=string name=string optional=*bool
SecretProjection: items=[]KeyToPath name=string optional=*bool
SecretVolumeSource: defaultMode=*int32 items=[]KeyToPath optional=*bool secretName=string
SecurityContext: allowPrivilegeEscalation=*bool appArmorProfile=*AppArmorProfile
   capabilities=*Capabilities privileged=*bool procMount=*s:ProcMountType
   readOnlyRootFilesystem=*bool runAsGroup=*int64 runAsNonRoot=*bool runAsUser=*int64
   seLinuxOptions=*SELinuxOptions seccompProfile=*SeccompProfile
   windowsOptions=*WindowsSecurityContextOptions
ServiceAccountTokenProjection: audience=string expirationSeconds=*int64 path!=string
SleepAction: seconds!=int64
StorageOSVolumeSource: fsType=string readOnly=bool secretRef=*LocalObjectReference
   volumeName=string volumeNamespace=string
Sysctl: name!=string value!=string
TCPSocketAction: host=string port!=IntOrString
Toleration: effect=s:TaintEffect key=string operator=s:TolerationOperator tolerationSeconds=*int64
   value=string
TopologySpreadConstraint: labelSelector=*LabelSelector matchLabelKeys=[]string maxSkew!=int32
   minDomains=*int32 nodeAffinityPolicy=*s:NodeInclusionPolicy
   nodeTaintsPolicy=*s:NodeInclusionPolicy topologyKey!=string
   whenUnsatisfiable!=s:UnsatisfiableConstraintAction
TypedLocalObjectReference: apiGroup!=*string kind!=string name!=string
TypedObjectReference: apiGroup!=*string kind!=string name!=string namespace=*string
Volume: awsElasticBlockStore=*AWSElasticBlockStoreVolumeSource azureDisk=*AzureDiskVolumeSource
   azureFile=*AzureFileVolumeSource cephfs=*CephFSVolumeSource cinder=*CinderVolumeSource
   configMap=*ConfigMapVolumeSource csi=*CSIVolumeSource downwardAPI=*DownwardAPIVolumeSource
   emptyDir=*EmptyDirVolumeSource ephemeral=*EphemeralVolumeSource fc=*FCVolumeSource
   flexVolume=*FlexVolumeSource flocker=*FlockerVolumeSource
   gcePersistentDisk=*GCEPersistentDiskVolumeSource gitRepo=*GitRepoVolumeSource
   glusterfs=*GlusterfsVolumeSource hostPath=*HostPathVolumeSource image=*ImageVolumeSource
   iscsi=*ISCSIVolumeSource name!=string nfs=*NFSVolumeSource
   persistentVolumeClaim=*PersistentVolumeClaimVolumeSource
   photonPersistentDisk=*PhotonPersistentDiskVolumeSource portworxVolume=*PortworxVolumeSource
   projected=*ProjectedVolumeSource quobyte=*QuobyteVolumeSource rbd=*RBDVolumeSource
   scaleIO=*ScaleIOVolumeSource secret=*SecretVolumeSource storageos=*StorageOSVolumeSource
   vsphereVolume=*VsphereVirtualDiskVolumeSource
VolumeDevice: devicePath!=string name!=string
VolumeMount: mountPath!=string mountPropagation=*s:MountPropagationMode name!=string readOnly=bool
   recursiveReadOnly=*s:RecursiveReadOnlyMode subPath=string subPathExpr=string
VolumeProjection: clusterTrustBundle=*ClusterTrustBundleProjection configMap=*ConfigMapProjection
   downwardAPI=*DownwardAPIProjection podCertificate=*PodCertificateProjection
   secret=*SecretProjection serviceAccountToken=*ServiceAccountTokenProjection
VolumeResourceRequirements: limits={}Quantity@ResourceList requests={}Quantity@ResourceList
VsphereVirtualDiskVolumeSource: fsType=string storagePolicyID=string storagePolicyName=string
   volumePath!=string
WeightedPodAffinityTerm: podAffinityTerm!=PodAffinityTerm weight!=int32
WindowsSecurityContextOptions: gmsaCredentialSpec=*string gmsaCredentialSpecName=*string
   hostProcess=*bool runAsUserName=*string
)";
}

}  // namespace ksim::api
