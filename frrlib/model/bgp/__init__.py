"""BGP thought through on the drawing: which sessions come up, what policies let pass, which routes arrive."""
