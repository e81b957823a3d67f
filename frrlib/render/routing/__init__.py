"""Each routing protocol's part of `frr.conf`; `frrlib.render.frr` gathers it."""
