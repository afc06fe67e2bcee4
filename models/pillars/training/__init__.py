"""How the weights of `pillars` are made: labelled sweeps, a network in torch, and its export to ONNX.

| module           | idea                                                                            |
|------------------|---------------------------------------------------------------------------------|
| `shards`         | labelled points, and the files that hold them                                   |
| `samples`        | what the vehicles of a generated world see                                      |
| `real_samples`   | the same of labelled recordings                                                 |
| `mixture`        | which sample comes at which place of a training                                 |
| `object_changes` | objects changed with their points; the world's to the sizes that labels have    |
| `pasting`        | objects of other samples set into a sample                                      |
| `hard_negatives` | what a network took for objects wrongly, to be pasted                           |
| `augment`        | a sample as it might have been: turned, mirrored, scaled, thinned               |
| `targets`        | what the network should say about a sample                                      |
| `network`        | the network                                                                     |
| `losses`         | how far what it says is from what it should say                                 |
| `batches`        | samples put together for one step                                               |
| `trainer`        | a network on its way, with checkpoints to go on from                            |
| `train`          | from a request to the shared loop, `models/training_run`                        |
| `evaluate`       | average precision and F1 on held-out samples; a program for exported models     |
| `graph`          | the network as an ONNX graph                                                    |
| `quantise`       | from 32-bit numbers to 8-bit integers                                           |
| `export`         | from a checkpoint to `model.onnx` and its card                                  |

The recipe with all commands is in `docs/models.md`. Needs the extras `train` and, for samples, `world`.
"""
