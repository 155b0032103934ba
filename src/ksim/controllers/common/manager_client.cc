#include "ksim/controllers/common/manager_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ksim/client/rest/component_limits.h"

namespace ksim::controllers {

client::ClientOptions ManagerClient(const ControllerContext& context, std::string_view account) {
  const std::string own = fmt::format("system:serviceaccount:kube-system:{}", account);
  return client::LimitedAs(client::Limits::kControllerManager, context.connection.compat(),
                           context.user.empty() ? own : context.user);
}

std::string AggregateErrors(const std::vector<std::string>& errors) {
  std::vector<std::string> once;
  for (const std::string& error : errors)
    if (std::find(once.begin(), once.end(), error) == once.end()) once.push_back(error);
  if (once.size() < 2) return once.empty() ? std::string() : once.front();
  return fmt::format("[{}]", fmt::join(once, ", "));
}

}  // namespace ksim::controllers
