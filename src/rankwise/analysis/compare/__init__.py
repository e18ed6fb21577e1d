"""Which implementation is faster at what, and is it real?

`compare` turns the launches of a run into a `core.results.Comparison`, `sentences` says it in words, and
`overlap` derives what a nonblocking operation hides behind computation.
"""

from rankwise.analysis.compare.comparison import compare
from rankwise.analysis.compare.overlaps import overlap
from rankwise.analysis.compare.sentences import sentences

__all__ = ["compare", "overlap", "sentences"]
