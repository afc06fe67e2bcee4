"""Stage times, logs, metrics and sinks: what a run says about itself."""
