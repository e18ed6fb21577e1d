"""The schedules are built before each process of the tests asks for them where it collects."""

from rankwise.schedules import generator
from support.alone import alone

with alone("schedules"):
    generator.algorithms()
