package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const sessionLength = time.Minute

// clock deletes a session (a ConfigMap with the label `session`) a minute after it was made.
//
// The mistake: time.Since(creationTimestamp) subtracts a time of the API server's clock from one of its
// own. Crossplane and Knative did so (crossplane/crossplane#7524, knative/serving#561). With --right it
// measures from when it saw the session first. A restart makes that longer, and never shorter.
type clock struct {
	client.Client
	seen map[types.UID]time.Time // one worker: no lock
}

func setUpClock(manager ctrl.Manager) error {
	return forConfigMaps(manager).Complete(&clock{manager.GetClient(), map[types.UID]time.Time{}})
}

func (r *clock) ageOf(session *corev1.ConfigMap) time.Duration {
	if !*right {
		return time.Since(session.CreationTimestamp.Time)
	}
	if _, ok := r.seen[session.UID]; !ok {
		r.seen[session.UID] = time.Now()
	}
	return time.Since(r.seen[session.UID])
}

func (r *clock) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var session corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &session); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if session.Labels["session"] == "" {
		return ctrl.Result{}, nil
	}
	age := r.ageOf(&session)
	if age < sessionLength {
		return ctrl.Result{RequeueAfter: sessionLength - age}, nil
	}
	log.FromContext(ctx).Info("ending a session", "age", age.String())
	return ctrl.Result{}, client.IgnoreNotFound(r.Delete(ctx, &session, client.Preconditions{UID: &session.UID}))
}
