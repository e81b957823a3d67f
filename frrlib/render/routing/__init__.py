"""What each routing protocol adds to `frr.conf`; `frrlib.render.frr` gathers it."""
