"""Compares two MPIs at ping-pong and prints what can be said of it, with the verdicts behind."""

import sys

import rankwise

time = sys.argv[1] if len(sys.argv) > 1 else "2m"
result = rankwise.compare(["openmpi-5", "mpich-5"], benchmarks=["pingpong"], sizes="1:1M:16", time=time)
for sentence in result.sentences:
    print(sentence)
for verdict in result.verdicts:
    print(f"{verdict.size_bytes:>8} B  {verdict.candidate} is {verdict.verdict}: {verdict.ratio:.2f}")
