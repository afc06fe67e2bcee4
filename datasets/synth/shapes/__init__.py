"""What moves and is labelled: vehicles and people, each drawn from a spread of real sizes and looks.

| module                         | idea                                                                     |
|--------------------------------|--------------------------------------------------------------------------|
| `vehicles`                     | a vehicle of a kind, and the kinds a street holds                        |
| `profiles`                     | side views: bonnets, screens, roofs and windows of each kind             |
| `loft`                         | a body drawn over such a side view, with glass, lamps and wheel wells    |
| `bodies`, `trucks`             | whole vehicles: body, wheels, seats, plates; cabs with what they carry   |
| `wheels`, `paint`, `parts`     | what these are put together from                                         |
| `people`                       | a pedestrian or cyclist of a pace                                        |
| `puppet`                       | a mesh hung on bones, placed at any time                                 |
| `walking`, `riding`            | how the bones move                                                       |
| `figure`, `bicycle`            | flesh and clothes on the bones, and what some ride                       |
"""
