package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const grace = 10 * time.Second

// byName deletes a token (a ConfigMap) ten seconds after it got the label `expired`.
//
// The mistake: Delete takes an object and sends its name. If the token has been replaced by another of
// the same name, the new one is deleted. The pod controllers did so (kubernetes/kubernetes#29522), and
// kcp (kcp-dev/kcp#643). With --right the uid goes along as a precondition, and the server refuses.
type byName struct {
	client.Client
	since map[types.UID]time.Time // one worker: no lock
}

func setUpByName(manager ctrl.Manager) error {
	return forConfigMaps(manager).Complete(&byName{manager.GetClient(), map[types.UID]time.Time{}})
}

func (r *byName) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var token corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &token); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if token.Labels["expired"] == "" {
		return ctrl.Result{}, nil
	}
	if _, ok := r.since[token.UID]; !ok {
		r.since[token.UID] = time.Now()
	}
	if age := time.Since(r.since[token.UID]); age < grace {
		return ctrl.Result{RequeueAfter: grace - age}, nil
	}
	log.FromContext(ctx).Info("deleting an expired token", "uid", token.UID)
	if !*right {
		return ctrl.Result{}, client.IgnoreNotFound(r.Delete(ctx, &token))
	}
	err := r.Delete(ctx, &token, client.Preconditions{UID: &token.UID})
	if errors.IsConflict(err) { // another one has its name
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, client.IgnoreNotFound(err)
}
