// Control: the JSON API under /ksim/v1/, with which `ksim ctl` and scripts steer a served cluster.
//
//   GET  status     {time, speed, events, ...}
//   GET  verdict    the oracles' findings so far, and what clients asked for that nobody does
//   GET  snapshot   all objects, as a List
//   POST step       {"for": "10s"}: the clock goes on by that, at once
//   POST run        {"speed": "real"}: from now on at that speed
//   POST inject     VERB: {ARGUMENTS} of a fault; 404 if there is nothing that it could meet
//   POST heal       ends all faults
//
// Everything but GET changes the run; what changes more than its pace is an input of the trace.
#pragma once
#include <functional>

#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/url.h"
#include "ksim/base/time.h"
#include "ksim/scenario/scenario.h"
#include "ksim/serve/input.h"
#include "ksim/serve/pace.h"
#include "ksim/serve/served_cluster.h"

namespace ksim::serve {

// The server that a Control steers.
class ControlTarget {
 public:
  virtual ~ControlTarget() = default;
  virtual ServedCluster& cluster() = 0;
  virtual Speed speed() const = 0;
  virtual void SetSpeed(Speed speed) = 0;
  virtual void Step(Duration by) = 0;
  // At once. Why a fault met nothing; "" if it began.
  virtual std::string Inject(Input input) = 0;
};

class Control {
 public:
  // Both outlive it.
  Control(ControlTarget& target, const scenario::Scenario& scenario)
      : target_(target), scenario_(scenario) {}

  static bool IsControlPath(const apiserver::http::Url& url);
  apiserver::http::HttpResponse Serve(const apiserver::http::HttpRequest& request,
                                      const apiserver::http::Url& url);

 private:
  value::Value Status();
  value::Value Verdict();
  value::Value Snapshot();

  ControlTarget& target_;
  const scenario::Scenario& scenario_;
};

}  // namespace ksim::serve
