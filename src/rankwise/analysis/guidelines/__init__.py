"""Is an implementation consistent with itself? No operation should be slower than what does its work by others.

`rules` are the guidelines as data, `checks` holds measured curves to them, `findings` sums the checks up by
guideline, `remedies` says what ends a violation, and `measured` what earlier runs found to be faster.
"""
