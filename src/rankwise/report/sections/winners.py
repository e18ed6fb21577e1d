"""The summary by class of operations and sizes, and who is fastest in each."""

from __future__ import annotations

from rankwise.report.groups import CATEGORIES, GroupedComparison
from rankwise.report.page import Section
from rankwise.report.views import SIZE_CLASSES, class_rows, summary_tint


def winners(grouped: GroupedComparison) -> Section | None:
    """Return the table of geometric means; None where nothing could be summarised."""
    rows = class_rows(grouped)
    if not rows:
        return None
    return Section(
        "winners",
        {
            "rows": rows,
            "implementations": grouped.comparison.implementations,
            "categories": CATEGORIES,
            "size_classes": SIZE_CLASSES,
            "summary_tint": summary_tint,
        },
    )
