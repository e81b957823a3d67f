"""Makes the window, and connects it with the document and the lab."""
