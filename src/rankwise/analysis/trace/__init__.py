"""What the calls that a program was seen to make mean: read, summed up, and written for other tools."""
