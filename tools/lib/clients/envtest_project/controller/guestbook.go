// Package controller has the controller of the kind, as a user writes it.
package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"project/api"
)

const finalizer = "webapp.example.com/pages"

// GuestbookReconciler gives each Guestbook its pages.
type GuestbookReconciler struct {
	client.Client
}

// Reconcile makes the pages that are missing, removes those that are too many, and tells.
func (r *GuestbookReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var book api.Guestbook
	if err := r.Get(ctx, req.NamespacedName, &book); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var pages corev1.ConfigMapList
	if err := r.List(ctx, &pages, client.InNamespace(book.Namespace),
		client.MatchingLabels{"book": book.Name}); err != nil {
		return ctrl.Result{}, err
	}
	wanted := book.Spec.Pages
	if !book.DeletionTimestamp.IsZero() {
		wanted = 0
	}
	have := map[string]bool{}
	for i := range pages.Items {
		page := &pages.Items[i]
		have[page.Name] = true
		var number int
		if _, err := fmt.Sscanf(page.Data["number"], "%d", &number); err == nil && number < wanted {
			continue
		}
		if err := client.IgnoreNotFound(r.Delete(ctx, page)); err != nil {
			return ctrl.Result{}, err
		}
	}
	if !book.DeletionTimestamp.IsZero() {
		if len(pages.Items) == 0 && controllerutil.RemoveFinalizer(&book, finalizer) {
			return ctrl.Result{}, client.IgnoreNotFound(r.Update(ctx, &book))
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&book, finalizer) {
		return ctrl.Result{}, r.Update(ctx, &book)
	}
	for i := 0; i < wanted; i++ {
		name := fmt.Sprintf("%s-%d", book.Name, i)
		if have[name] {
			continue
		}
		page := corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: book.Namespace,
				Labels: map[string]string{"book": book.Name}},
			Data: map[string]string{"number": fmt.Sprint(i)},
		}
		if err := ctrl.SetControllerReference(&book, &page, r.Scheme()); err != nil {
			return ctrl.Result{}, err
		}
		if err := r.Create(ctx, &page); err != nil && !apierrors.IsAlreadyExists(err) {
			return ctrl.Result{}, err
		}
	}
	if book.Status.Pages != len(pages.Items) {
		book.Status.Pages = len(pages.Items)
		return ctrl.Result{}, r.Status().Update(ctx, &book)
	}
	return ctrl.Result{}, nil
}

// SetupWithManager lets a manager run the controller.
func (r *GuestbookReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&api.Guestbook{}).Owns(&corev1.ConfigMap{}).Complete(r)
}
