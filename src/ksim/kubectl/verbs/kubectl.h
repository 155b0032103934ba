// Kubectl: the user. Does a command through the requests that kubectl would send, as the actor
// `kubectl`, and answers with the lines that kubectl would print.
#pragma once
#include <string>
#include <utility>

#include "ksim/kubectl/verbs/command_output.h"
#include "ksim/kubectl/verbs/earlier_tries.h"
#include "ksim/kubectl/verbs/options.h"
#include "ksim/kubectl/verbs/session.h"
#include "ksim/sim/task.h"

namespace ksim::kubectl {

class Kubectl {
 public:
  // `connection` is that of the process kubectl. `as`: kubectl --as; "" is kubernetes-admin.
  explicit Kubectl(client::Connection& connection, std::string as = {})
      : session_(connection, std::move(as)) {}

  // `options` and `tries` must live as long as the task.
  sim::Task<CommandOutput> Run(const VerbOptions& options, EarlierTries& tries);

 private:
  Session session_;
};

}  // namespace ksim::kubectl
