// What the describers of several kinds have in common.
//
// Source: kubectl pkg/describe/describe.go printLabelsMultiline, describeContainers,
// describeVolumes, printPodTolerationsMultiline, DescribeEvents.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/cli/tab_writer.h"

namespace ksim::cli {

// RFC 1123 with a numeric zone, as describe prints times: "Wed, 01 Jan 2025 00:00:01 +0000".
std::string LongTime(const value::Value& timestamp);
// "title:<tab>a=b", each further one on a line of its own.
void WriteLabels(TabWriter& w, std::string_view title, const value::Value& labels);
void WriteAnnotations(TabWriter& w, std::string_view title, const value::Value& annotations);
void WriteController(TabWriter& w, const api::Object& object);
// `indent` is "" for a pod, two blanks for a template, which has no statuses.
void WriteContainers(TabWriter& w, std::string_view title, const value::Value& containers,
                     const value::Value& statuses, std::string_view indent);
void WriteVolumes(TabWriter& w, const value::Value& volumes, std::string_view indent);
void WriteTolerations(TabWriter& w, std::string_view title, const value::Value& tolerations);
void WriteEvents(TabWriter& w, std::vector<api::Object> events, VirtualTime now);

}  // namespace ksim::cli
