#include "ksim/controllers/root_ca/root_ca_publisher.h"

#include <utility>

#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Obj;
using value::Path;
using value::Value;

namespace {

constexpr std::string_view kRootCaName = "kube-root-ca.crt";
constexpr std::string_view kRootCaDescriptionKey = "kubernetes.io/description";
constexpr std::string_view kRootCaDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

Value RootCaData(const ControllerContext& context) {
  const std::string_view own = context.root_ca;
  return Obj({{"ca.crt", Value::Of(own.empty() ? RootCaCertificate() : own)}});
}

}  // namespace

std::string_view RootCaCertificate() {
  return "-----BEGIN CERTIFICATE-----\n"
         "MIIBgDCCASegAwIBAgIUFURT7n46X1JqCSiUUN72CLxcNi8wCgYIKoZIzj0EAwIw\n"
         "FTETMBEGA1UEAwwKa3ViZXJuZXRlczAgFw0yNjExMjYwNTUyMjNaGA8yMTI2MTEw\n"
         "MjA1NTIyM1owFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqG\n"
         "SM49AwEHA0IABGYGa1/dkjgIlG3iYHmnsLbyUfe6giE3GEFB2RhxBwhh9WhGfGii\n"
         "caCEp1OgvDFGFSKAftALnvjBl2ii/yV25iSjUzBRMB0GA1UdDgQWBBSv/Oqx5Qfs\n"
         "DJoeP/VS9NG3rUKGujAfBgNVHSMEGDAWgBSv/Oqx5QfsDJoeP/VS9NG3rUKGujAP\n"
         "BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIETRiYHH4cTLH3NAUoCM\n"
         "lWqBo6Fw88a8nROwxxf3j11xAiBMxjAsZCivqV2/ZF9g6YbW5e7HBW/K7mQYHm9O\n"
         "I1pz4Q==\n"
         "-----END CERTIFICATE-----\n";
}

RootCaPublisher::RootCaPublisher(ControllerContext context)
    : context_(std::move(context)),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "root-ca-cert-publisher")),
      resource_(context_.Resource("", "configmaps")),
      config_maps_(context_.informers.For(resource_)),
      namespaces_(context_.informers.For(context_.Resource("", "namespaces"))),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

RootCaPublisher::~RootCaPublisher() = default;

void RootCaPublisher::Start() {
  config_map_handlers_.update = [this](const api::Object&, const api::Object& config_map) {
    AddIfRootCa(config_map);
  };
  config_map_handlers_.del = [this](const client::Deleted& deleted) {
    AddIfRootCa(deleted.object);
  };
  namespace_handlers_.add = [this](const api::Object& ns, bool) { queue_.Add(ns.key()); };
  namespace_handlers_.update = [this](const api::Object&, const api::Object& ns) {
    if (ns.status().Get("phase").AsString() == "Active") queue_.Add(ns.key());
  };
  config_maps_.AddHandler(context_.actor(), &config_map_handlers_);
  namespaces_.AddHandler(context_.actor(), &namespace_handlers_);
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  // It does not wait for the namespaces: it never reads their cache.
  loop_->Start(1, {&config_maps_});
}

void RootCaPublisher::AddIfRootCa(const api::Object& config_map) {
  if (config_map.name() == kRootCaName) queue_.Add(std::string(config_map.ns()));
}

sim::Task<client::ReconcileResult> RootCaPublisher::Reconcile(std::string key) {
  static const Path kData{"data"};
  static const Path kAnnotation{"metadata", "annotations", kRootCaDescriptionKey};
  const api::Object cached = config_maps_.lister().Get(key, kRootCaName);
  if (cached.empty()) co_return co_await Publish(std::move(key));
  const bool same = cached.Get(kData) == RootCaData(context_);
  if (same && !cached.Annotation(kRootCaDescriptionKey).empty())
    co_return client::ReconcileResult::Done();
  Value tree = cached.tree()
                   .Set(kData, RootCaData(context_))
                   .Set(kAnnotation, Value::Of(kRootCaDescription));
  client::Client::ObjectResult updated = co_await client_.Update(
      resource_, api::Object::FromTree(std::move(tree), cached.resource_version()));
  if (!updated.ok()) co_return client::ReconcileResult::Error(updated.status());
  co_return client::ReconcileResult::Done();
}

sim::Task<client::ReconcileResult> RootCaPublisher::Publish(std::string ns) {
  const Value annotations = Obj({{kRootCaDescriptionKey, Value::Of(kRootCaDescription)}});
  const Value metadata = Obj({{"name", Value::Of(kRootCaName)},
                              {"namespace", Value::Of(ns)},
                              {"annotations", annotations}});
  const api::Object config_map = api::Object::FromTree(Obj({{"apiVersion", Value::Of("v1")},
                                                            {"kind", Value::Of("ConfigMap")},
                                                            {"metadata", metadata},
                                                            {"data", RootCaData(context_)}}));
  client::Client::ObjectResult created = co_await client_.Create(resource_, config_map);
  // There is nothing to publish into a namespace that is gone or goes.
  const bool good = created.ok() || api::IsNotFound(created.status()) ||
                    api::HasCause(created.status(), "NamespaceTerminating");
  if (!good) co_return client::ReconcileResult::Error(created.status());
  co_return client::ReconcileResult::Done();
}

}  // namespace ksim::controllers
