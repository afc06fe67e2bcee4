"""Version v1alpha1 of the wire: message definitions, and the code generated from them by `scripts/generate_protos.sh`."""
