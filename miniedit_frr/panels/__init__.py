"""Panels around the canvas: toolbox, properties, problems, log and status bar."""
