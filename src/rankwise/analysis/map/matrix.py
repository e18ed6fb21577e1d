"""Bytes between ranks, for mapping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

MOST_RANKS = 1 << 16
"""That can be placed."""


@dataclass(frozen=True, slots=True, eq=False)
class CommunicationMatrix:
    """Bytes sent from rank to rank, shape (ranks, ranks), in one direction each."""

    ranks: int
    sent_bytes: scipy.sparse.csr_array

    @classmethod
    def of_table(cls, sent_bytes: np.ndarray) -> CommunicationMatrix:
        """Make one of bytes from rank to rank, shape (ranks, ranks)."""
        return cls(len(sent_bytes), scipy.sparse.csr_array(sent_bytes.astype(np.float64)))

    def weights(self) -> scipy.sparse.csr_array:
        """Return the bytes of each pair in both directions together, symmetric, without those to oneself."""
        both = (self.sent_bytes + self.sent_bytes.T).tolil()
        both.setdiag(0)
        made = scipy.sparse.csr_array(both)
        made.eliminate_zeros()
        return made
