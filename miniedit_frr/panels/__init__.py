"""What stands around the canvas: tool column, properties, problems, log, status, start page."""
