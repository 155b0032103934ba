// Statusloop is the part of a cloud's controller that gives each Service of type LoadBalancer a load
// balancer, here a ConfigMap in the namespace cloud, and tells of it in the Service's status.
//
// The mistake: when the cloud refuses, the Service has failed for good, and from then on each look at it
// writes the time of that look into its status. Each write is an event, and each event another look: the
// controller keeps itself and the API server busy for as long as the Service is there. Kubeflow's
// notebook controller did so (kubeflow/notebooks#1343). With --fixed a status that says nothing new is
// not written.
package main

import (
	"context"
	"flag"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var fixed = flag.Bool("fixed", false, "Write a status only if it says something new.")

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var service corev1.Service
	if err := r.Get(ctx, req.NamespacedName, &service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if service.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return ctrl.Result{}, nil
	}
	if ready := meta.FindStatusCondition(service.Status.Conditions, "Ready"); ready == nil {
		balancer := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "cloud", Name: service.Name}}
		if err := r.Create(ctx, balancer); client.IgnoreAlreadyExists(err) != nil {
			log.FromContext(ctx).Error(err, "the cloud refuses")
			return ctrl.Result{}, r.tell(ctx, &service, metav1.ConditionFalse, "Failed", err.Error())
		}
		return ctrl.Result{}, r.tell(ctx, &service, metav1.ConditionTrue, "Created", "")
	} else if ready.Status == metav1.ConditionFalse && !*fixed {
		message := "still failed at " + time.Now().Format(time.RFC3339Nano)
		return ctrl.Result{}, r.tell(ctx, &service, metav1.ConditionFalse, "Failed", message)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) tell(ctx context.Context, service *corev1.Service,
	status metav1.ConditionStatus, reason, message string) error {
	meta.SetStatusCondition(&service.Status.Conditions,
		metav1.Condition{Type: "Ready", Status: status, Reason: reason, Message: message})
	return r.Status().Update(ctx, service)
}

func main() {
	flag.Parse()
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(),
		ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		panic(err)
	}
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.Service{}).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		panic(err)
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}
