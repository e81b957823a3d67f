"""The parts around the canvas: tool column, properties, problems, log, status, start page."""
