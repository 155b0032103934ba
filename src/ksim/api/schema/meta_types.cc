// Structs that every kind uses, the bodies of subresources, and reviews: the fields and Go types of
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
BoundObjectReference: apiVersion=string kind=string name=string uid=s:types.UID
FieldSelectorAttributes: rawSelector=string requirements=[]LabelSelectorRequirement
LabelSelectorAttributes: rawSelector=string requirements=[]LabelSelectorRequirement
LocalSubjectAccessReview: apiVersion=string kind=string metadata=ObjectMeta
   spec!=SubjectAccessReviewSpec status=SubjectAccessReviewStatus
NonResourceAttributes: path=string verb=string
NonResourceRule: nonResourceURLs=[]string verbs!=[]string
ResourceAttributes: fieldSelector=*FieldSelectorAttributes group=string
   labelSelector=*LabelSelectorAttributes name=string namespace=string resource=string
   subresource=string verb=string version=string
ResourceRule: apiGroups=[]string resourceNames=[]string resources=[]string verbs!=[]string
SelfSubjectAccessReview: apiVersion=string kind=string metadata=ObjectMeta
   spec!=SelfSubjectAccessReviewSpec status=SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: nonResourceAttributes=*NonResourceAttributes
   resourceAttributes=*ResourceAttributes
SelfSubjectReview: apiVersion=string kind=string metadata=ObjectMeta status=SelfSubjectReviewStatus
SelfSubjectReviewStatus: userInfo=UserInfo
SelfSubjectRulesReview: apiVersion=string kind=string metadata=ObjectMeta
   spec!=SelfSubjectRulesReviewSpec status=SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec: namespace=string
SubjectAccessReview: apiVersion=string kind=string metadata=ObjectMeta spec!=SubjectAccessReviewSpec
   status=SubjectAccessReviewStatus
SubjectAccessReviewSpec: extra={}[]string groups=[]string
   nonResourceAttributes=*NonResourceAttributes resourceAttributes=*ResourceAttributes uid=string
   user=string
SubjectAccessReviewStatus: allowed!=bool denied=bool evaluationError=string reason=string
SubjectRulesReviewStatus: evaluationError=string incomplete!=bool
   nonResourceRules!=[]NonResourceRule resourceRules!=[]ResourceRule
TokenRequest: apiVersion=string kind=string metadata=ObjectMeta spec!=TokenRequestSpec
   status=TokenRequestStatus
TokenRequestSpec: audiences!=[]string boundObjectRef!=*BoundObjectReference
   expirationSeconds!=*int64
TokenRequestStatus: expirationTimestamp!=Time token!=string
TokenReview: apiVersion=string kind=string metadata=ObjectMeta spec!=TokenReviewSpec
   status=TokenReviewStatus
TokenReviewSpec: audiences=[]string token=string
TokenReviewStatus: audiences=[]string authenticated=bool error=string user=UserInfo
UserInfo: extra={}[]string groups=[]string uid=string username=string
)";
}

}  // namespace ksim::api
