"""Checks the data of every collective of one MPI on three ranks, and exits with 1 if any is wrong."""

import sys

import rankwise

result = rankwise.bench(["collective"], ["mpich-5"], sizes="1,4K", ranks=[3], verify=True, launches=1)
print(f"{len(result.verified)} cells have the right data, {len(result.failures)} failed")
sys.exit(result.has_wrong_data)
