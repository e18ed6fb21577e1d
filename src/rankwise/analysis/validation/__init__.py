"""Fresh launches of the default beside a tuning: is it never worse, and what of it goes back if it is?

`acceptance.accept` keeps only what is shown to be no slower in every cell, and reverts the rest. Cells that are
still open, and those in which something else acts after a reversion, are measured again as long as there is time.

    acceptance  verdicts, the gain, and what goes back to the default
    evidence    what launches show of one cell: it is no slower, it is slower, or neither is known yet
    acting      what of a tuning acts on a cell, and to which rule a cell is due
    reverting   the tuning without what was to blame
"""
