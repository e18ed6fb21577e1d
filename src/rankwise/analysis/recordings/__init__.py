"""Recordings of what a program communicates, in the formats of several tools: a format is one file here."""
