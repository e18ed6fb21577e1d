"""Searches for settings that make one implementation fast on one testbed.

A search (`search.Search`) is one question about one implementation. It asks for trials and is told the launches
that measured them; who measures is none of its business. Several can go on at once:

    while trials := [trial for search in searches for trial in search.ask()]:
        launches = one launch of each trial, in random order, interleaved with those of other implementations
        for search in searches:
            search.tell(launches)               # picks its own cells; failed launches are told like any other
    tuning = merged(...) of each search.best()  # analysis/tunings

- One `ask` and `tell` is a round, within which searches compare: all its trials are launched before any is told.
- A cell carries its trial's name as its label, and counts only in a round that asked for it. Two searches that
  ask for the same cell (`default`, most often) may share one launch.
- Trials of different searches may share a launch if their settings do not act on each other's cells. Else
  searches go in stages, each on top of what the one before has found.
- A search holds no clock: when the budget is over, stop asking. `best` and `reasons` are good after any round;
  they have the default wherever nothing else is better for certain by more than delta.
- Asking is deterministic: told the same launches, a search asks for the same trials, as `--resume` needs.
"""
