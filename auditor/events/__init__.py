"""How an output is looked at: outputs in one form, features, scores, events."""
