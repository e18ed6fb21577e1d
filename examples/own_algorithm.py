"""An allreduce of one's own: a ring, proved right for any data, and what it sends from site to site.

rankwise schedule verify examples/own_algorithm.py -n 8
rankwise schedule show examples/own_algorithm.py --sites 2x4
"""

import rankwise


@rankwise.schedule("allreduce")
def ring(rank, ranks):
    """Parts of the data go round the ring twice: once to be reduced, once to be handed out."""
    right, left = (rank + 1) % ranks, (rank - 1) % ranks
    rank.copy(rank.input[:], rank.output[:])
    for turn in range(2 * (ranks - 1)):
        rank.send(right, rank.output[(rank - turn) % ranks])
        if turn < ranks - 1:
            rank.recv_reduce(left, rank.output[(rank - turn - 1) % ranks])
        else:
            rank.receive(left, rank.output[(rank - turn - 1) % ranks])


if __name__ == "__main__":
    for ranks in (2, 3, 8, 16):
        proof = ring.proof(ranks)
        print(f"{ranks} ranks: {'right' if proof.right else proof.faults[0]}")
