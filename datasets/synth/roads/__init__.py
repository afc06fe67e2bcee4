"""Lanes: the directed ways that a plan's streets offer, through junctions too, as dense lines in the world.

| module      | idea                                                                    |
|-------------|-------------------------------------------------------------------------|
| `curves`    | bends with steady steering, in a frame of their own                     |
| `path`      | a dense line in the world and the speed that its bends allow            |
| `junctions` | where streets cross, and their arms                                     |
| `ways`      | the line of every lane and of every turn, in the plan                   |
| `network`   | all lanes with successors, neighbours and conflicts                     |
"""
