"""Objects over time, in the world frame: motion, size, heading, association, and late answers merged into the past."""
