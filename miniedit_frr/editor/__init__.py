"""Parts of the editor that know all of it: each joins one thing with the rest."""
