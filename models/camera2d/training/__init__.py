"""Trains camera2d in the generated world; needs the extras ``train`` and ``world``.

| module        | idea                                                                   |
|---------------|------------------------------------------------------------------------|
| `pictures`    | pictures of generated worlds with their labels, made and stored        |
| `samples`     | stored pictures, read                                                  |
| `augment`     | a picture as the network's input: placed, and made to look otherwise   |
| `photographs` | photographs, read, and parts of them                                   |
| `recoloured`  | colours that no renderer would give                                    |
| `randomised`  | pictures of the world that look like no world                          |
| `targets`     | which cell answers for which object                                    |
| `network`     | the network                                                            |
| `losses`      | how wrong it is                                                        |
| `train`       | the loop                                                               |
| `export`      | from a checkpoint to `model.onnx` and its card                         |
| `evaluate`    | what it is worth on stored pictures                                    |
| `cut`         | where to cut its scores                                                |
"""
