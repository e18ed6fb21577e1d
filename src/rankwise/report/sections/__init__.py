"""Sections of pages: one file each, which turns typed results into what its template shows."""
