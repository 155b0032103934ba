package controller

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"project/api"
)

var (
	cfg       *rest.Config
	k8sClient client.Client
	testEnv   *envtest.Environment
	ctx       context.Context
	cancel    context.CancelFunc
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Controller Suite")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	ctx, cancel = context.WithCancel(context.Background())
	testEnv = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "config")},
		ErrorIfCRDPathMissing: true,
	}
	var err error
	cfg, err = testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	Expect(api.AddToScheme(scheme.Scheme)).To(Succeed())
	k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme.Scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	Expect(err).NotTo(HaveOccurred())
	Expect((&GuestbookReconciler{Client: mgr.GetClient()}).SetupWithManager(mgr)).To(Succeed())
	go func() {
		defer GinkgoRecover()
		Expect(mgr.Start(ctx)).To(Succeed())
	}()
})

var _ = AfterSuite(func() {
	cancel()
	Expect(testEnv.Stop()).To(Succeed())
})

var _ = Describe("Guestbook", func() {
	const patience = 20 * time.Second
	key := client.ObjectKey{Namespace: "default", Name: "book"}

	pages := func() []string {
		var list corev1.ConfigMapList
		Expect(k8sClient.List(ctx, &list, client.InNamespace("default"),
			client.MatchingLabels{"book": "book"})).To(Succeed())
		var names []string
		for _, page := range list.Items {
			names = append(names, page.Name)
		}
		return names
	}
	status := func() int {
		var book api.Guestbook
		Expect(k8sClient.Get(ctx, key, &book)).To(Succeed())
		return book.Status.Pages
	}

	It("gets its pages, and keeps them", func() {
		Expect(k8sClient.Create(ctx, &api.Guestbook{
			ObjectMeta: metav1.ObjectMeta{Name: "book", Namespace: "default"},
			Spec:       api.GuestbookSpec{Pages: 3},
		})).To(Succeed())
		Eventually(pages, patience).Should(ConsistOf("book-0", "book-1", "book-2"))
		Eventually(status, patience).Should(Equal(3))

		By("losing one")
		for i := 0; i < 5; i++ {
			Expect(k8sClient.Delete(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("book-%d", i%3), Namespace: "default"}})).To(Succeed())
			Eventually(pages, patience).Should(HaveLen(3))
			time.Sleep(300 * time.Millisecond)
		}

		By("wanting fewer")
		var book api.Guestbook
		Expect(k8sClient.Get(ctx, key, &book)).To(Succeed())
		book.Spec.Pages = 1
		Expect(k8sClient.Patch(ctx, &book, client.RawPatch("application/merge-patch+json",
			[]byte(`{"spec":{"pages":1}}`)))).To(Succeed())
		Eventually(pages, patience).Should(ConsistOf("book-0"))
		Eventually(status, patience).Should(Equal(1))

		By("leaving")
		Expect(k8sClient.Delete(ctx, &book)).To(Succeed())
		Eventually(func() error { return k8sClient.Get(ctx, key, &book) }, patience).ShouldNot(Succeed())
		Expect(pages()).To(BeEmpty())
	})

	It("is who its certificate says", func() {
		user, err := testEnv.AddUser(envtest.User{Name: "jane", Groups: []string{"dev"}}, nil)
		Expect(err).NotTo(HaveOccurred())
		janes, err := client.New(user.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(janes.Get(ctx, client.ObjectKey{Name: "default"}, &corev1.Namespace{})).To(Succeed())
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		Expect(janes.Create(ctx, pod)).To(Succeed())
		Expect(pod.Spec.ServiceAccountName).To(BeEmpty()) // --disable-admission-plugins
		Consistently(func() string {
			Expect(janes.Get(ctx, client.ObjectKeyFromObject(pod), pod)).To(Succeed())
			return pod.Spec.NodeName
		}, time.Second).Should(BeEmpty()) // there is no scheduler
	})
})
