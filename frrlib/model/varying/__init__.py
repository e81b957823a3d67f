"""Names any field of a drawing in words, gives it other values, and says all combinations of several."""
