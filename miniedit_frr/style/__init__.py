"""The looks of the window: the colours of the light and the dark theme."""
