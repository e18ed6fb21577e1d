"""`fit` measures a platform: stages, one file each, that add what they found to the same `Platform`.

Stages are `point_to_point` (what single messages cost, by class of pairs) and `contention` (how concurrent ones
share). A stage measures a run of its own kind, `fit`, which is stored as it goes on, and can be resumed and shown.
"""
