"""From a plan to samples: build the kernels, launch them, decide when it is enough."""
