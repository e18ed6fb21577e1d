"""Asks whether an MPI's allreduce is slower than its own reduce and then bcast."""

import sys

import rankwise

time = sys.argv[1] if len(sys.argv) > 1 else "1m"
answer = rankwise.guidelines(["mpich-5"], operations=["allreduce"], sizes="8,4K,64K", ranks=[2], time=time)
for finding in answer.found:
    worst = finding.worst
    print(f"{finding.label()}: {finding.word}, at worst {worst.ratio:.2f} at {worst.size_bytes} B")
