"""Classes of differences that tools/upstream-diff finds between ksim's own controllers and
upstream's, and that are explained: (workload, pattern of the class, words of docs/fidelity.md that
give the reason). A test looks for the words there.
"""
EXPLAINED = []
