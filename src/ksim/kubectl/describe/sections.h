// Sections that the describers of several kinds share.
//
// Source: kubectl pkg/describe/describe.go printLabelsMultiline, describeContainers,
// describeVolumes, printPodTolerationsMultiline, DescribeEvents.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/kubectl/describe/describers.h"
#include "ksim/kubectl/printing/cell_text.h"
#include "ksim/kubectl/printing/tab_writer.h"

namespace ksim::kubectl {

// RFC 1123 with a numeric zone, as describe prints times: "Wed, 01 Jan 2025 00:00:01 +0000".
std::string LongTime(const value::Value& timestamp);
std::vector<std::string_view> LinesOf(std::string_view text);  // at least one
std::string AmountText(const value::Value& quantity);          // "500m", canonical
std::string JoinTexts(const value::Value& texts, std::string_view separator);

// The lines for name and namespace.
void WriteHead(TabWriter& w, const api::Object& object);
// "title:<tab>text", unless it is empty.
void WriteIf(TabWriter& w, int level, std::string_view title, const value::Value& text);
// "title:<tab>a=b", each further one on a line of its own.
void WriteLabels(TabWriter& w, std::string_view title, const value::Value& labels);
void WriteAnnotations(TabWriter& w, std::string_view title, const value::Value& annotations);
void WriteController(TabWriter& w, const api::Object& object);
// `indent` is "" for a pod, two blanks for a template: that has no statuses and is no pod (null).
void WriteContainers(TabWriter& w, std::string_view title, const value::Value& containers,
                     const value::Value& statuses, const value::Value& pod,
                     std::string_view indent);
// Limits and requests, if there are any.
void WriteResources(TabWriter& w, int level, const value::Value& resources);
// `profile_level`: of the second line, the profile's name.
void WriteSeccomp(TabWriter& w, int level, int profile_level, const value::Value& profile);
void WriteVolumes(TabWriter& w, const value::Value& volumes, std::string_view indent);
// The source of a pod's volume, or of a PersistentVolume, which is a field of `volume`.
void WriteVolumeSource(TabWriter& w, const value::Value& volume);
void WriteVolumeAttributes(TabWriter& w, const value::Value& attributes);
void WriteTolerations(TabWriter& w, std::string_view title, const value::Value& tolerations);
void WriteTaints(TabWriter& w, std::string_view title, const value::Value& taints);
void WriteSpreading(TabWriter& w, const value::Value& constraints, std::string_view indent);
// The Events about the object, if they are to be shown.
void WriteEvents(TabWriter& w, const Described& d);

}  // namespace ksim::kubectl
