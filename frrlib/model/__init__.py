"""The description of a lab: frozen values and their bounds."""
