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
]
