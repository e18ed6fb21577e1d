"""What the measured paths of a testbed ask of its hosts: TCP buffers, congestion control, MTU."""
