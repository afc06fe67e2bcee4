"""A camera in the generated world: rays, light, lens and sensor.

| module      | idea                                                                     |
|-------------|--------------------------------------------------------------------------|
| `sensor`    | a picture, step by step                                                  |
| `rays`      | from pixels to rays                                                      |
| `checkers`  | where half of the pixels tell the other half                             |
| `moment`    | all triangles at the instant of the exposure                             |
| `look`      | what triangles look like; `smooth` makes bodies of panels round          |
| `shading`   | light that leaves surfaces towards the camera                            |
| `shadows`   | what keeps light away                                                    |
| `textures`  | patterns, from `noise`                                                   |
| `sky`       | light from all directions                                                |
| `antialias` | where one ray per pixel is not enough                                    |
| `exposure`  | from light to numbers                                                    |
"""

from vedette.datasets.synth.camera.sensor import CameraSensor, Picture

__all__ = ["CameraSensor", "Picture"]
