"""Where draws come from: random streams, the mechanism under audit, workers, checkpoints."""
