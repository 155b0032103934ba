// Story: a run line by line for someone who learns Kubernetes: when, who, what to which object, and
// because of what. The twelve steps of a ReplicaSet's way to running pods have headings where they
// first happen.
//
// The user's requests have lines, every write that is no heartbeat, lease or Event, what containers
// do, and those notifications that led to one of these.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/cli/story/process_log.h"
#include "ksim/cli/story/story_events.h"

namespace ksim::cli {

// `log`: of a process, each text in its place; none by default.
std::string RenderStory(const StoryEvents& events, const api::Kinds& kinds, bool color,
                        const std::vector<LoggedText>& log = {});

}  // namespace ksim::cli
