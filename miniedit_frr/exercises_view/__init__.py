"""File > Exercises: graded exercises as cards, and the text, tasks and points of one beside its drawing."""
