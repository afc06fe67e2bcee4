"""How the weights of `pillars` are made: samples from generated worlds, a network in torch, and its export to ONNX.

| module     | idea                                                                            |
|------------|---------------------------------------------------------------------------------|
| `shards`   | labelled points, and the files that hold them                                   |
| `samples`  | what the vehicles of a generated world see; a program                           |
| `augment`  | a sample as it might have been: turned, mirrored, scaled, thinned               |
| `targets`  | what the network should say about a sample                                      |
| `network`  | the network                                                                     |
| `losses`   | how far what it says is from what it should say                                 |
| `batches`  | samples put together for one step                                               |
| `train`    | the loop, with checkpoints to go on from; a program                             |
| `evaluate` | average precision and F1 on held-out samples; a program for exported models     |
| `graph`    | the network as an ONNX graph                                                    |
| `export`   | from a checkpoint to `model.onnx` and its card; a program                       |

The recipe with all commands is in `docs/training.md`. Needs the extras `train` and, for samples, `world`.
"""
