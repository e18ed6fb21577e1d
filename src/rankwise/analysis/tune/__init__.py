"""Searches for settings that make one implementation fast on one testbed, and the test that they do.

A search asks for trials and is told the launches that measured them; who measures is none of its business.
"""
