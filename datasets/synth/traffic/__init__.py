"""Who drives, walks, stands and parks, and where everybody is at any time.

| module         | idea                                                                     |
|----------------|--------------------------------------------------------------------------|
| `motion`       | from the way come by a time to a pose                                    |
| `vehicles`     | the state of a vehicle                                                   |
| `following`    | how drivers keep their distance                                          |
| `occupancy`    | who is on which lane                                                     |
| `lane_changes` | when drivers change lanes                                                |
| `right_of_way` | who may use a junction                                                   |
| `footways`     | where people walk                                                        |
| `itinerary`    | where they go                                                            |
| `walkers`      | people on foot                                                           |
| `simulation`   | all of them together, in steps                                           |
| `trails`       | from the lanes used to the line driven                                   |
| `rides`        | what drives, and the actor that it becomes                               |
| `placing`      | where everybody is at the beginning                                      |
| `parking`      | vehicles at the kerb, in bays and on driveways                           |
"""
