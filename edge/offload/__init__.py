"""Deciding what to send to the cloud, sending it, and taking what comes back."""
