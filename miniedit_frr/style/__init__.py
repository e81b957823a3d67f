"""How it looks: the colours of the light and the dark theme."""
