// Shadow keeps a ConfigMap beside each ReplicaSet, of the same name, and deletes it when it is told
// that the ReplicaSet is deleted.
//
// It is wrong, as many a handler is: a deletion that happened while no watch was open is told too, when
// the informer lists anew, but with DeleteStateUnknown (cache.DeletedFinalStateUnknown in client-go,
// called a tombstone). Shadow takes that for no deletion; with --fixed it does not.
package main

import (
	"context"
	"flag"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

func shadowOf(name types.NamespacedName) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: name.Namespace, Name: name.Name, Labels: map[string]string{"shadow": "true"}}}
}

func main() {
	fixed := flag.Bool("fixed", false, "Take deletions that were not seen, too.")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	logger := ctrl.Log.WithName("shadow")
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(),
		ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		panic(err)
	}
	writer := manager.GetClient()
	events := handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) {
			q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)})
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, _ queue) {
			if e.DeleteStateUnknown && !*fixed {
				return
			}
			name := client.ObjectKeyFromObject(e.Object)
			if err := writer.Delete(ctx, shadowOf(name)); client.IgnoreNotFound(err) != nil {
				logger.Error(err, "the shadow stays", "of", name)
			}
		},
	}
	create := func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, client.IgnoreAlreadyExists(
			writer.Create(ctx, shadowOf(request.NamespacedName)))
	}
	err = ctrl.NewControllerManagedBy(manager).Named("shadow").
		Watches(&appsv1.ReplicaSet{}, events).Complete(reconcile.Func(create))
	if err != nil {
		panic(err)
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}
