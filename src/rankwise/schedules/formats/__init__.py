"""Files of schedules: our JSON, the plain text that C reads, GOAL and MSCCL's XML."""
