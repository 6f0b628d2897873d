"""What dp-audit does, measured: `python -m benchmarks`; beside others: benchmarks.zoo, benchmarks.peers."""
