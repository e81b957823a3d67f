"""Keeps a lab apart from the program that started it, so that it can go on without it and be rejoined."""
