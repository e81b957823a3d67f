"""BGP in a topology: its sessions, the paths that it carries, the effect of policies, and the resulting routes."""
