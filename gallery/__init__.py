"""What dp-audit finds in libraries that others wrote: one file a case, each run in an environment of its own."""
