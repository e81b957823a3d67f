"""The first program of a lab. It and all modules that it loads use the standard library only."""
