package main

import (
	"context"
	"encoding/json"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const manager = client.FieldOwner("force")

// force keeps a ReplicaSet for each ConfigMap with the label app=set, by server-side apply. The number of
// replicas is the ConfigMap's until somebody else sets it, as an autoscaler does.
//
// The mistake: it looks in its cache whether somebody else owns the number, and applies with force. If
// the cache is late, it takes the number back, and is its owner from then on. Envoy Gateway forced the
// replicas, too, without looking (envoyproxy/gateway#9594). With --right it does not force: the
// conflict says that the number is somebody else's.
type force struct{ client.Client }

func setUpForce(manager ctrl.Manager) error {
	return forConfigMaps(manager).Owns(&appsv1.ReplicaSet{}).Complete(&force{manager.GetClient()})
}

// othersScale tells whether somebody else has set the replicas.
func othersScale(set *appsv1.ReplicaSet) bool {
	for _, entry := range set.ManagedFields {
		var fields struct {
			Spec map[string]any `json:"f:spec"`
		}
		if entry.Manager == string(manager) || entry.FieldsV1 == nil ||
			json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if _, ok := fields.Spec["f:replicas"]; ok {
			return true
		}
	}
	return false
}

func (r *force) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var config corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &config); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if config.Labels["app"] != "set" {
		return ctrl.Result{}, nil
	}
	var set appsv1.ReplicaSet
	if err := r.Get(ctx, req.NamespacedName, &set); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	labels := map[string]string{"app": config.Name}
	spec := appsv1apply.ReplicaSetSpec().
		WithSelector(metav1apply.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(corev1apply.PodTemplateSpec().WithLabels(labels).WithSpec(corev1apply.PodSpec().
			WithContainers(corev1apply.Container().WithName("web").WithImage(config.Data["image"]))))
	if !othersScale(&set) {
		replicas, _ := strconv.Atoi(config.Data["replicas"])
		spec.WithReplicas(int32(replicas))
	}
	wanted := appsv1apply.ReplicaSet(config.Name, config.Namespace).WithSpec(spec).
		WithOwnerReferences(metav1apply.OwnerReference().WithAPIVersion("v1").WithKind("ConfigMap").
			WithName(config.Name).WithUID(config.UID).WithController(true))
	if !*right {
		return ctrl.Result{}, r.Apply(ctx, wanted, manager, client.ForceOwnership)
	}
	err := r.Apply(ctx, wanted, manager)
	if errors.IsConflict(err) {
		log.FromContext(ctx).Info("somebody else has set the replicas", "conflict", err.Error())
		spec.Replicas = nil
		err = r.Apply(ctx, wanted, manager)
	}
	return ctrl.Result{}, err
}
