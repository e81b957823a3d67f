"""What was measured, kept and shown."""
