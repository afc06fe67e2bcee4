"""Version v1alpha1 of the wire, and the code that `scripts/generate_protos.sh` makes from its definitions."""
