package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// absence deletes the record of a Service that is gone: a ConfigMap with the Service's name in its label
// `of`.
//
// The mistake: it takes a Service that its cache does not have for gone. Services and ConfigMaps come on
// two watches, and that of Services may be the later one. The garbage collector did so
// (kubernetes/kubernetes#88097), and eno with the namespaces of its resources (Azure/eno#236). With
// --right it asks the API server before it deletes, and asks again for as long as only the server has it.
type absence struct {
	client.Client
	services client.Reader
}

func setUpAbsence(manager ctrl.Manager) error {
	r := &absence{manager.GetClient(), manager.GetClient()}
	if *right {
		r.services = manager.GetAPIReader()
	}
	record := func(_ context.Context, service client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{
			Namespace: service.GetNamespace(), Name: service.GetName() + "-record"}}}
	}
	return forConfigMaps(manager).
		Watches(&corev1.Service{}, handler.EnqueueRequestsFromMapFunc(record)).
		Complete(r)
}

func (r *absence) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var record corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &record); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if record.Labels["of"] == "" {
		return ctrl.Result{}, nil
	}
	var service corev1.Service
	name := types.NamespacedName{Namespace: req.Namespace, Name: record.Labels["of"]}
	err := r.services.Get(ctx, name, &service)
	if err == nil && errors.IsNotFound(r.Get(ctx, name, &service)) {
		// No event will tell of the end of a Service that the cache never had: look again.
		return ctrl.Result{RequeueAfter: 30 * time.Second}, nil
	}
	if !errors.IsNotFound(err) {
		return ctrl.Result{}, err
	}
	log.FromContext(ctx).Info("the service is gone: deleting its record", "service", record.Labels["of"])
	return ctrl.Result{}, client.IgnoreNotFound(r.Delete(ctx, &record, client.Preconditions{UID: &record.UID}))
}
