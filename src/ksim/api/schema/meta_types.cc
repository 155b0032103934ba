// Structs that every kind uses, and the bodies of subresources: the fields and Go types of
// apimachinery and k8s.io/api v0.36.0. go_types.h describes the notation.
#include "ksim/api/schema/go_types.h"

namespace ksim::api {

std::string_view MetaTypes() {
  return R"(
Binding: apiVersion=string kind=string metadata=ObjectMeta target!=ObjectReference
Condition: lastTransitionTime!=Time message!=string observedGeneration=int64 reason!=string
   status!=s:ConditionStatus type!=string
DeleteOptions: apiVersion=string dryRun=[]string gracePeriodSeconds=*int64
   ignoreStoreReadErrorWithClusterBreakingPotential=*bool kind=string orphanDependents=*bool
   preconditions=*Preconditions propagationPolicy=*s:DeletionPropagation
Eviction: apiVersion=string deleteOptions=*DeleteOptions kind=string metadata=ObjectMeta
LabelSelector: matchExpressions=[]LabelSelectorRequirement matchLabels={}string
LabelSelectorRequirement: key!=string operator!=s:LabelSelectorOperator values=[]string
ManagedFieldsEntry: apiVersion=string fieldsType=string fieldsV1=*Raw manager=string
   operation=s:ManagedFieldsOperationType subresource=string time=*Time
ObjectMeta: annotations={}string creationTimestamp=Time deletionGracePeriodSeconds=*int64
   deletionTimestamp=*Time finalizers=[]string generateName=string generation=int64
   labels={}string managedFields=[]ManagedFieldsEntry name=string namespace=string
   ownerReferences=[]OwnerReference resourceVersion=string selfLink=string uid=s:types.UID
ObjectReference: apiVersion=string fieldPath=string kind=string name=string namespace=string
   resourceVersion=string uid=s:types.UID
OwnerReference: apiVersion!=string blockOwnerDeletion=*bool controller=*bool kind!=string
   name!=string uid!=s:types.UID
Preconditions: resourceVersion=*string uid=*s:types.UID
Scale: apiVersion=string kind=string metadata=ObjectMeta spec=ScaleSpec status=ScaleStatus
ScaleSpec: replicas=int32
ScaleStatus: replicas!=int32 selector=string
)";
}

}  // namespace ksim::api
