"""What lifting has to beat: agents that nobody would deploy, for comparison alone."""
