"""What a clinic publishes about its visits."""
