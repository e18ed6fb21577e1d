"""What a platform costs: parameters from measured times, by least squares, with intervals."""
