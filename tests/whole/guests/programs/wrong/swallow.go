package main

import (
	"context"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// swallow keeps a ConfigMap for each member of a team, which is a ConfigMap with the label app=team.
//
// The mistake: `if err := ...` in the loop declares another err, and the one that is returned is nil
// whatever happens. The log has the failure, and nobody comes again. kthena and the
// node-readiness-controller logged an error and returned none (volcano-sh/kthena#1407,
// kubernetes-sigs/node-readiness-controller#228). With --right the errors are kept.
type swallow struct{ client.Client }

func setUpSwallow(manager ctrl.Manager) error {
	return forConfigMaps(manager).Complete(&swallow{manager.GetClient()})
}

func (r *swallow) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var team corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &team); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if team.Labels["app"] != "team" {
		return ctrl.Result{}, nil
	}
	var err error
	for _, name := range strings.Fields(team.Data["members"]) {
		if *right {
			err = errors.Join(err, r.add(ctx, &team, name))
			continue
		}
		if err := r.add(ctx, &team, name); err != nil {
			log.FromContext(ctx).Error(err, "cannot add a member", "name", name)
		}
	}
	return ctrl.Result{}, err
}

func (r *swallow) add(ctx context.Context, team *corev1.ConfigMap, name string) error {
	return client.IgnoreAlreadyExists(r.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: team.Namespace, Name: team.Name + "-" + name, Labels: map[string]string{"team": team.Name}}}))
}
