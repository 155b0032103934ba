// Story: a run line by line for someone who learns Kubernetes: when, who, what to which object, and
// because of what. The twelve steps of a ReplicaSet's way to running pods have headings where they
// first happen.
//
// The user's requests have lines, every write that is no heartbeat, lease or Event, what containers
// do, and those notifications that led to one of these.
#pragma once
#include <string>

#include "ksim/api/kinds.h"
#include "ksim/cli/story_events.h"

namespace ksim::cli {

std::string RenderStory(const StoryEvents& events, const api::Kinds& kinds, bool color);

}  // namespace ksim::cli
