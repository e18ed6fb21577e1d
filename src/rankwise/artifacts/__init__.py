"""All that Rankwise compiles for an implementation, in one cache."""
