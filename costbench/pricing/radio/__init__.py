"""Radio models: from the messages of a round to seconds and joules of each node."""
