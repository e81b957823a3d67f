"""The appearance of a topology as values, and pictures of it that need no window."""
