"""Classes of differences that tools/upstream-diff finds between ksim's own controllers and
upstream's, and that are explained: (workload, pattern of the class, words of docs/fidelity.md that
give the reason). A test looks for the words there.
"""
EXPLAINED = [
    # Only with faults: without them it would be a write of another node ("create binding").
    ("scheduler", r"^end of pods: \{spec.nodeName\} -> \{spec.nodeName\}$",
     "A scheduler that was deaf hears of pods and nodes in any order"),
    # Only with faults: without them it would be the deletion of another pod.
    ("replicaset", r"^end of pods: (there -> nothing|nothing -> there)$",
     "victims that rank equal go by name"),
    # A write that one of the two has sent and the other has not, or that was refused.
    ("disruption", r"^poddisruptionbudgets: update status 409 \{\} -> update status 200 |"
     r"^poddisruptionbudgets: update status \d+ .* -> update status 409 \{\}$",
     "An eviction and the disruption controller write the same status"),
]
