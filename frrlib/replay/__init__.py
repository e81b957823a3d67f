"""A finished run as one HTML page that plays in any web browser, without a network."""
