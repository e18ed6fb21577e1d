"""Measures a broadcast and looks at every sample: the spread within a launch and from launch to launch."""

import sys

import numpy as np

import rankwise

time = sys.argv[1] if len(sys.argv) > 1 else "1m"
result = rankwise.compare(["openmpi-5"], benchmarks=["bcast"], sizes="8,4K", ranks=[2], time=time)
name = result.comparison.implementations[0]
for size, launches in result.samples(name, "bcast").items():
    medians = np.array([np.median(one) for one in launches])
    within = np.mean([np.std(one) / np.mean(one) for one in launches])
    print(
        f"{size:>5} B: {np.median(medians) * 1e6:.2f} us, {within:.0%} within a launch, "
        f"{np.std(medians) / np.mean(medians):.0%} from launch to launch"
    )
