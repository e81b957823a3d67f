"""The editor for congestion controls of the user's own: source, compiler errors, and files beside the drawing."""
