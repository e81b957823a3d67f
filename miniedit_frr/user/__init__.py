"""What is kept of this user in small files, and what comes with the package; no window."""
