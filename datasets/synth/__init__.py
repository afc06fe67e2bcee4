"""A world of our own: streets, traffic and sensors, made from a seed.

A scenario builds a `World` once: what stands still, what moves and how, in continuous time. Sensors look at it at any
time; labels are read off the same geometry. Everything follows from the scenario's name and the seed.

| module               | idea                                                                        |
|----------------------|-----------------------------------------------------------------------------|
| `surfaces`           | what things are made of, to a laser and to a camera                          |
| `mesh`               | triangles with a surface and a colour each                                   |
| `shapes`             | vehicles and people                                                          |
| `scenery`            | ground, buildings, plants, street furniture, clutter                         |
| `plan`, `bays`       | streets and blocks, where bays cut into them, who has claimed what           |
| `terrain`            | from the plan, where streets are straight, to the curved and sloping world   |
| `roads`, `traffic`   | lanes, and who drives and walks on them                                      |
| `scenarios`          | the named worlds                                                             |
| `raycast`            | rays against all that: the world at the instant of each ray                  |
| `lidar`, `camera`    | the sensors; `navigation` the noisy pose                                     |
| `labels`             | boxes, visibility, masks, line of sight                                      |
| `recording`          | a world as a `Recording`, to stream or to write                              |
| `instants`           | the same of all connected vehicles at once                                   |
| `write`, `layouts`   | a world on disk                                                              |
"""
