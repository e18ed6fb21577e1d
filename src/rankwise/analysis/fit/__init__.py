"""From measured times to the parameters of a platform."""
