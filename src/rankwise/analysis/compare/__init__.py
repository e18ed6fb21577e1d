"""Which implementation is faster at what, and is it real?"""
