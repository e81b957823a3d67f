"""The supervisor: the process that owns the processes of a lab."""
