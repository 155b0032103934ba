// Wrong runs one of seven controllers that go wrong as published ones did, in ways that a Go program can.
// --controller says which one, and --right has it do the same work rightly. Each is a file of this
// folder, which tells the mistake and what mends it.
package main

import (
	"flag"
	"maps"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var right = flag.Bool("right", false, "Do it rightly.")

var controllers = map[string]func(ctrl.Manager) error{
	"absence":    setUpAbsence,
	"byname":     setUpByName,
	"cachewrite": setUpCacheWrite,
	"clock":      setUpClock,
	"force":      setUpForce,
	"ports":      setUpPorts,
	"swallow":    setUpSwallow,
}

// forConfigMaps is the builder of a controller of ConfigMaps. What failed is tried again after half a
// minute at the latest, and not after 17 minutes, which is controller-runtime's own choice.
func forConfigMaps(manager ctrl.Manager) *builder.Builder {
	return ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).
		WithOptions(controller.Options{
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
				5*time.Millisecond, 30*time.Second),
		})
}

func main() {
	name := flag.String("controller", "", "The controller to run.")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	setup := ctrl.Log.WithName("setup")
	setUp, ok := controllers[*name]
	if !ok {
		setup.Info("no such controller", "name", *name, "there are", slices.Sorted(maps.Keys(controllers)))
		os.Exit(2)
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(),
		ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err == nil {
		err = setUp(manager)
	}
	if err == nil {
		err = manager.Start(ctrl.SetupSignalHandler())
	}
	if err != nil {
		setup.Error(err, "problem running manager")
		os.Exit(1)
	}
}
