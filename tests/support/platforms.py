"""Platforms for tests: one of two sites with a shared link each way, and any that Hypothesis thinks of."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from rankwise.core.platform import (
    ContentionModel,
    CostRange,
    Interval,
    PairClass,
    Platform,
    PlatformLink,
    PlatformSite,
    Provenance,
    Route,
)

TWO_SITES = Platform(
    sites=(
        PlatformSite("a", ("a1", "a2"), 125e6, 125e6),
        PlatformSite("b", ("b1", "b2"), 125e6, 125e6),
    ),
    routes=(
        Route("a", "a", "within a site"),
        Route("a", "b", "across sites", ("a-b",)),
        Route("b", "a", "across sites", ("b-a",)),
        Route("b", "b", "within a site"),
    ),
    classes=(
        PairClass("same node", (CostRange(None, 5e-7, 2e-7, 0, 3e-7, 0, 1e-7, 1e-10),), 8192),
        PairClass(
            "within a site",
            (
                CostRange(65536, 2e-5, 1e-6, 1e-10, 2e-6, 0, 3e-6, 8e-9),
                CostRange(None, 3e-5, 2e-6, 0, 3e-6, 0, 0, 8e-9),
            ),
        ),
        PairClass("across sites", (CostRange(None, 5e-3, 1e-6, 0, 2e-6, 0, 3e-6, 8e-9),), 65536, 0.5),
    ),
    same_node="same node",
    links=(PlatformLink("a-b", 6e7), PlatformLink("b-a", 6e7)),
    models=(ContentionModel("alpha-fair", 2.5, 1.3), ContentionModel("max-min")),
    provenance=Provenance("two", "openmpi-5.0.6", measured="2026-11-23"),
    intervals={"classes.within a site.ranges.0.latency_seconds": Interval(1.9e-5, 2.1e-5)},
    misfits={"within a site": 0.004},
    not_identified={"flops_per_second": "nothing was measured that computes"},
)

_names = st.text(min_size=1, max_size=8).filter(str.isprintable)
_rates = st.floats(1, 1e15)
_seconds = st.floats(0, 10)
_costs = st.builds(
    CostRange, st.none(), _seconds, _seconds, st.floats(0, 1), _seconds, st.floats(0, 1), _seconds, st.floats(0, 1)
)


@st.composite
def _ranges(draw: st.DrawFn) -> tuple[CostRange, ...]:
    ends = sorted(draw(st.sets(st.integers(0, 1 << 40), max_size=3)))
    costs = [draw(_costs) for _ in range(len(ends) + 1)]
    return tuple(
        CostRange(end, *(getattr(one, name) for name in CostRange.__slots__[1:]))
        for end, one in zip([*ends, None], costs, strict=True)
    )


@st.composite
def platforms(draw: st.DrawFn) -> Platform:
    """Any platform that the simulator would take."""
    sites = draw(st.lists(_names, min_size=1, max_size=3, unique=True))
    nodes = draw(st.lists(_names, min_size=len(sites), max_size=6, unique=True))
    links = draw(st.lists(_names, max_size=3, unique=True))
    classes = draw(st.lists(_names, min_size=1, max_size=3, unique=True))
    some = st.lists(st.sampled_from(links), unique=True, max_size=3) if links else st.just([])
    models = st.builds(
        ContentionModel, st.sampled_from(["queues", "alpha-fair", "max-min", "flow-cuts", "none"]),
        st.floats(0.1, 16), st.floats(1, 3), st.floats(0.01, 1), st.floats(0, 9), st.floats(0, 1e7),
        st.none() | st.floats(0, 1),
    )  # fmt: skip
    ends = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted)
    return Platform(
        sites=tuple(
            PlatformSite(name, tuple(nodes[i :: len(sites)]), draw(_rates), draw(_rates))
            for i, name in enumerate(sites)
        ),
        routes=tuple(
            Route(*pair, draw(st.sampled_from(classes)), tuple(draw(some))) for pair in product(sites, sites)
        ),
        classes=tuple(
            PairClass(name, draw(_ranges()), draw(st.integers(0, 1 << 50)), draw(st.floats(1e-6, 1e6)))
            for name in classes
        ),
        same_node=draw(st.sampled_from(classes)),
        links=tuple(PlatformLink(name, draw(_rates)) for name in links),
        models=tuple(draw(st.lists(models, max_size=3, unique_by=lambda one: one.name))),
        packet_bytes=draw(st.integers(0, 1 << 30)),
        provenance=Provenance(*(draw(st.text(st.characters(exclude_categories=("Cs",)))) for _ in range(6))),
        intervals={name: Interval(*draw(ends)) for name in draw(st.lists(_names, max_size=3))},
        misfits=draw(st.dictionaries(_names, st.floats(0, 9), max_size=2)),
        not_identified=draw(
            st.dictionaries(_names, st.text(st.characters(exclude_categories=("Cs",))), max_size=3)
        ),
    )
