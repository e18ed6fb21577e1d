"""Collective algorithms as data: generated, written by users, proved, read and written, drawn."""
