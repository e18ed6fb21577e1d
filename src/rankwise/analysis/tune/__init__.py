"""Searches for settings that make one implementation fast on one testbed.

A search (`search.Search`) is one question about one implementation. It asks for trials and is told the launches
that measured them; who measures is none of its business. Several can go on at once:

    searches = [ThresholdSearch(...), AlgorithmSearch(...), AlgorithmSearch(...), SettingSearch(...)]
    while time is left:
        trials = [trial for search in searches for trial in search.ask()]
        if not trials:                          # every question is answered
            break
        launches = one launch of each trial, in random order, interleaved with those of other implementations
        for search in searches:
            search.tell(launches)               # picks its own cells; failed launches are told like any other
        show best so far: search.best() of each
    tuning = merged(...) of each search.best()        # analysis/tunings

- One `ask` and `tell` is a round. Searches compare within rounds, so every trial of a round is launched once
  before any of them is told; launches of a round that was broken off are best not told at all.
- A cell carries its trial's name as its label, and counts only in a round that asked for it. Two searches that
  ask for the same cell (`default`, most often) may share one launch.
- Trials of different searches may be bundled into one launch if their settings do not act on each other's
  cells: algorithms of different operations do not; thresholds, transports and buffers act on everything. So
  searches go in stages, each on top of what the one before has found: host settings and transport, threshold,
  then algorithms.
- A search holds no clock: when the budget is over, stop asking. `best` and `reasons` are good after any round;
  they have the default wherever nothing else is better for certain by more than delta.
- A search may wait for others (algorithms at 8 ranks for those at 4), and asks nothing until they are answered.
- Asking is deterministic: told the same launches, a search asks for the same trials. That is what `--resume`
  needs.
- `exhaustive_launches` is what trying every choice as often as the most tried one would have taken.

Then comes the validation (`analysis/validation`).

    search            what all searches have in common: trials, what was asked and told
    race              round by round, which candidates remain, and which is selected  (observations, stats/bound)
    setting_search    which of a few whole settings, over weighted cells: one race
    threshold_search  eager or rendezvous: three curves predict what then races       (stats/crossover)
    algorithm_search  which algorithm at which size: races, refined sizes             (choices)
    rules             from what each choice costs at each size to few rules           (stats/covering)
"""
