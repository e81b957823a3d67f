"""What a lab is: frozen values and pure functions on them."""
