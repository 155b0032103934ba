#include "tests/whole/altered/excuses.h"

#include <string_view>

#include "ksim/base/os.h"

namespace ksim::altered {
namespace {

constexpr std::string_view kDocument = "docs/traces.md";
constexpr std::string_view kHead = "| field | why an edit of it may pass |";

}  // namespace

std::map<std::string, std::string> Excuses() {
  std::map<std::string, std::string> out;
  const std::string text = *os::ReadFile(std::string(kDocument));
  std::size_t at = text.find(kHead);
  if (at == std::string::npos) return out;
  at = text.find('\n', text.find('\n', at) + 1) + 1;  // behind the head and the line under it
  while (text.compare(at, 3, "| `") == 0) {
    const std::size_t end = text.find('\n', at);
    const std::string row = text.substr(at, end - at);
    const std::size_t cell = row.find(" | ");
    // A row names one field, or several with one reason: | `fault.t`, `step.t` | ... |
    const std::string fields = row.substr(0, cell);
    for (std::size_t tick = fields.find('`'); tick != std::string::npos;) {
      const std::size_t close = fields.find('`', tick + 1);
      out[fields.substr(tick + 1, close - tick - 1)] = row.substr(cell + 3);
      tick = fields.find('`', close + 1);
    }
    at = end + 1;
  }
  return out;
}

}  // namespace ksim::altered
