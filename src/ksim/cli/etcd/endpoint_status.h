// `etcdctl endpoint status` as etcdctl 3.5 prints it. ksim's etcd has neither a database file nor a
// raft log, so their sizes are 0: JSON leaves them out, the other formats show 0.
//
// Source: etcd etcdctl/ctlv3/command/ep_command.go epStatusCommandFunc, printer.go
// makeEndpointStatusTable, printer_fields.go EndpointStatus; olekukonko/tablewriter.
#pragma once
#include <string>
#include <vector>

#include "ksim/cli/etcd/etcdctl.h"

namespace ksim::cli {

// `format` is not kProtobuf, which etcdctl refuses.
std::string EndpointStatus(EtcdctlFormat format, const std::vector<std::string>& endpoints,
                           store::Revision revision);

}  // namespace ksim::cli
