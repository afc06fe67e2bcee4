"""What the server offers, one module per gRPC service."""
