"""The description of a lab: frozen values and pure functions on them."""
