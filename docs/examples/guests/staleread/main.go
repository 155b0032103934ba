// Staleread runs one worker pod for each ConfigMap labelled app=queue, and writes the pod's name into
// the ConfigMap, once.
//
// The mistake: it lists its pods from the cache, and creates one under a generated name if there is
// none. Its own write to the ConfigMap brings it back at once, and if the watch of pods is a little
// later than that of ConfigMaps, the list is still empty and a second worker is made. Argo Rollouts and
// Tekton did so (argoproj/argo-rollouts#243, tektoncd/pipeline#3126). With --fixed the pod's name
// follows from the ConfigMap's, so that the server refuses the second.
package main

import (
	"context"
	"flag"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var fixed = flag.Bool("fixed", false, "Name the worker after its queue.")

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var queue corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &queue); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if queue.Labels["app"] != "queue" {
		return ctrl.Result{}, nil
	}
	var workers corev1.PodList
	labels := client.MatchingLabels{"queue": queue.Name}
	if err := r.List(ctx, &workers, client.InNamespace(queue.Namespace), labels); err != nil {
		return ctrl.Result{}, err
	}
	if len(workers.Items) > 0 {
		return ctrl.Result{}, r.note(ctx, &queue, workers.Items[0].Name)
	}
	worker := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: queue.Namespace, GenerateName: queue.Name + "-", Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "worker", Image: "worker"}}},
	}
	if *fixed {
		worker.Name, worker.GenerateName = queue.Name+"-worker", ""
	}
	if err := ctrl.SetControllerReference(&queue, worker, r.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, worker); err != nil {
		return ctrl.Result{}, client.IgnoreAlreadyExists(err)
	}
	log.FromContext(ctx).Info("started a worker", "pod", worker.Name)
	return ctrl.Result{}, r.note(ctx, &queue, worker.Name)
}

// note writes the worker's name into the queue, for whoever looks for it there.
func (r *reconciler) note(ctx context.Context, queue *corev1.ConfigMap, worker string) error {
	if queue.Data["worker"] != "" {
		return nil
	}
	before := client.MergeFrom(queue.DeepCopy())
	if queue.Data == nil {
		queue.Data = map[string]string{}
	}
	queue.Data["worker"] = worker
	return r.Patch(ctx, queue, before)
}

func main() {
	flag.Parse()
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(),
		ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		panic(err)
	}
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}).
		Complete(&reconciler{manager.GetClient()})
	if err != nil {
		panic(err)
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}
