package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	firstPort = 30000
	lastPort  = 30099
)

// ports gives each game (a ConfigMap with the label app=game) a port of its own, as a label.
//
// The mistake: it takes the first port that no game in its cache has, and the cache may not yet have what
// it wrote last. That each update names the version of the game helps nothing, since the other game is
// another object. An IP address was given twice so (kubernetes-sigs/cluster-api-ipam-provider-in-cluster#338).
// With --right a ConfigMap named after the port says whose it is, and the server refuses a second one.
type ports struct {
	client.Client
	live client.Reader
}

func setUpPorts(manager ctrl.Manager) error {
	return forConfigMaps(manager).Complete(&ports{manager.GetClient(), manager.GetAPIReader()})
}

func (r *ports) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var game corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &game); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if game.Labels["app"] != "game" || game.Labels["port"] != "" {
		return ctrl.Result{}, nil
	}
	find := r.firstFree
	if *right {
		find = r.claim
	}
	port, err := find(ctx, &game)
	if err != nil {
		return ctrl.Result{}, err
	}
	log.FromContext(ctx).Info("giving a port", "port", port)
	game.Labels["port"] = strconv.Itoa(port)
	return ctrl.Result{}, r.Update(ctx, &game)
}

func (r *ports) firstFree(ctx context.Context, game *corev1.ConfigMap) (int, error) {
	var games corev1.ConfigMapList
	err := r.List(ctx, &games, client.InNamespace(game.Namespace), client.HasLabels{"port"})
	if err != nil {
		return 0, err
	}
	taken := map[string]bool{}
	for _, other := range games.Items {
		taken[other.Labels["port"]] = true
	}
	for port := firstPort; port <= lastPort; port++ {
		if !taken[strconv.Itoa(port)] {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port is free")
}

func (r *ports) claim(ctx context.Context, game *corev1.ConfigMap) (int, error) {
	for port := firstPort; port <= lastPort; port++ {
		claim := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: game.Namespace, Name: fmt.Sprintf("port-%d", port)},
			Data:       map[string]string{"of": string(game.UID)},
		}
		err := r.Create(ctx, claim)
		if errors.IsAlreadyExists(err) {
			err = r.live.Get(ctx, types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}, claim)
		}
		if err != nil {
			return 0, err
		}
		if claim.Data["of"] == string(game.UID) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port is free")
}
