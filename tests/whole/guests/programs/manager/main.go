// Manager is a project as kubebuilder lays it out, in one file: a manager with leader election that
// can be switched, health probes and metrics on their ports, and a reconciler that keeps a ConfigMap
// beside each ReplicaSet which it owns.
package main

import (
	"context"
	"flag"
	"os"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var set appsv1.ReplicaSet
	if err := r.Get(ctx, req.NamespacedName, &set); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	note := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: set.Name}}
	done, err := controllerutil.CreateOrUpdate(ctx, r.Client, note, func() error {
		if note.Data == nil {
			note.Data = map[string]string{}
		}
		note.Data["ready"] = strconv.Itoa(int(set.Status.ReadyReplicas))
		return ctrl.SetControllerReference(&set, note, r.Scheme())
	})
	log.FromContext(ctx).Info("noted", "ready", set.Status.ReadyReplicas, "done", done)
	return ctrl.Result{}, err
}

func main() {
	metrics := flag.String("metrics-bind-address", ":8080", "The address of the metrics.")
	probes := flag.String("health-probe-bind-address", ":8081", "The address of the probes.")
	elect := flag.Bool("leader-elect", false, "Elect a leader.")
	options := zap.Options{Development: true}
	options.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&options)))
	setup := ctrl.Log.WithName("setup")

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 metricsserver.Options{BindAddress: *metrics},
		HealthProbeBindAddress:  *probes,
		LeaderElection:          *elect,
		LeaderElectionID:        "manager.example.com",
		LeaderElectionNamespace: "default",
	})
	if err != nil {
		setup.Error(err, "unable to start manager")
		os.Exit(1)
	}
	err = ctrl.NewControllerManagedBy(manager).For(&appsv1.ReplicaSet{}).Owns(&corev1.ConfigMap{}).
		Complete(&reconciler{manager.GetClient()})
	if err == nil {
		err = manager.AddHealthzCheck("healthz", healthz.Ping)
	}
	if err == nil {
		err = manager.AddReadyzCheck("readyz", healthz.Ping)
	}
	if err != nil {
		setup.Error(err, "unable to set up")
		os.Exit(1)
	}
	setup.Info("starting manager")
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		setup.Error(err, "problem running manager")
		os.Exit(1)
	}
}
