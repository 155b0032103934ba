// KindEffects: the register of what becomes of objects once the API server has stored them: one row
// for each kind that is built in. A kind that a controller works on names the controller's row in
// registry.h, so that building the controller changes that row and nothing here.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace ksim::controllers {

enum class Effect : std::uint8_t {
  kSimulated,        // somebody acts on it as upstream, or nobody does upstream either
  kNeedsController,  // nothing follows without `controller`
  kNone,             // it is stored, and changes nothing
};

struct KindEffect {
  std::string_view group;  // "" = core
  std::string_view kind;
  Effect effect = Effect::kSimulated;
  // kNone: why it changes nothing. kNeedsController: what does not come about.
  std::string_view text = {};
  // The controller's name in the register; with kNone too: once it is there, the kind has an
  // effect.
  std::string_view controller = {};
  bool with_rbac = false;  // kNone: but it has its effect where the API servers judge by roles
};

// In the order of the groups in the API's reference; each kind once.
const std::vector<KindEffect>& KindEffects();

// Null of a kind that is not built in.
const KindEffect* EffectOf(std::string_view group, std::string_view kind);

}  // namespace ksim::controllers
