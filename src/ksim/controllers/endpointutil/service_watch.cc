#include "ksim/controllers/endpointutil/service_watch.h"

#include <string>

#include "ksim/controllers/common/label_index.h"
#include "ksim/controllers/endpointutil/service_pods.h"

namespace ksim::controllers {

ServiceWatch::ServiceWatch(client::SharedInformer& services, client::SharedInformer& pods,
                           client::WorkQueue& queue)
    : services_(services), pods_(pods) {
  service_handlers_.add = [&queue](const api::Object& service, bool) { queue.Add(service.key()); };
  service_handlers_.update = [&queue](const api::Object&, const api::Object& service) {
    queue.Add(service.key());
  };
  service_handlers_.del = [&queue](const client::Deleted& d) { queue.Add(d.object.key()); };

  const auto add_services_of = [this, &queue](const api::Object& pod) {
    for (const std::string& key : ServicesOf(pod, services_.lister())) queue.Add(key);
  };
  pod_handlers_.add = [add_services_of](const api::Object& pod, bool) { add_services_of(pod); };
  pod_handlers_.update = [this, &queue](const api::Object& a, const api::Object& b) {
    for (const std::string& key : ServicesOfChange(a, b, services_.lister())) queue.Add(key);
  };
  pod_handlers_.del = [add_services_of](const client::Deleted& d) { add_services_of(d.object); };
}

void ServiceWatch::Begin(sim::ActorId listener) {
  AddSelectorIndex(services_);
  AddLabelIndex(pods_);
  services_.AddHandler(listener, &service_handlers_);
  pods_.AddHandler(listener, &pod_handlers_);
}

}  // namespace ksim::controllers
