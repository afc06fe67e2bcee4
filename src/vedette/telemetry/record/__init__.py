"""The file of a run's record: MCAP with protobuf messages, their definitions inside, so that Foxglove opens it."""
