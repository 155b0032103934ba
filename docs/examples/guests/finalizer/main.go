// Finalizer keeps a bucket in a cloud for each ConfigMap labelled app=bucket; a ConfigMap
// bucket.NAMESPACE.NAME in the namespace cloud stands for it. A finalizer holds the ConfigMap until its
// bucket is deleted.
//
// The mistake: it takes the finalizer off first and deletes the bucket then. If the second fails, or the
// controller is killed between the two, nobody knows of the bucket any more. A KubeUser is let go so,
// too (openkube-hub/KubeUser#54). With --fixed the bucket goes first. That alone leaves buckets whose
// claim never had to wait: an API server that has looked at a claim before the finalizer was on it deletes
// it at once (the registry's Delete), and a creation may arrive when the process that asked for it is
// dead. So with --fixed a bucket that has no claim goes whenever it or its claim is looked at.
package main

import (
	"context"
	"flag"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/bucket"

var fixed = flag.Bool("fixed", false, "Delete the bucket before the finalizer, and one without a claim.")

type reconciler struct {
	client.Client
	live client.Reader
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if *fixed && req.Namespace == "cloud" {
		name, ok := strings.CutPrefix(req.Name, "bucket.")
		if !ok {
			return ctrl.Result{}, nil
		}
		req.Namespace, req.Name, _ = strings.Cut(name, ".")
	}
	bucket := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "cloud",
		Name: "bucket." + req.Namespace + "." + req.Name, Labels: map[string]string{"bucket": "true"}}}
	var claim corev1.ConfigMap
	if err := r.live.Get(ctx, req.NamespacedName, &claim); *fixed && errors.IsNotFound(err) {
		return ctrl.Result{}, client.IgnoreNotFound(r.Delete(ctx, bucket))
	} else if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if claim.Labels["app"] != "bucket" {
		return ctrl.Result{}, nil
	}
	if !claim.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, &claim, bucket)
	}
	if controllerutil.AddFinalizer(&claim, finalizer) {
		if err := r.Update(ctx, &claim); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, client.IgnoreAlreadyExists(r.Create(ctx, bucket))
}

func (r *reconciler) release(ctx context.Context, claim, bucket *corev1.ConfigMap) error {
	if *fixed {
		if err := r.Delete(ctx, bucket); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	if controllerutil.RemoveFinalizer(claim, finalizer) {
		if err := r.Update(ctx, claim); err != nil {
			return client.IgnoreNotFound(err)
		}
		log.FromContext(ctx).Info("let the claim go")
	}
	if *fixed {
		return nil
	}
	return client.IgnoreNotFound(r.Delete(ctx, bucket))
}

func main() {
	flag.Parse()
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(),
		ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		panic(err)
	}
	err = ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).
		Complete(&reconciler{manager.GetClient(), manager.GetAPIReader()})
	if err != nil {
		panic(err)
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		panic(err)
	}
}
