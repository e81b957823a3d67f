"""Changes that put problems right, by kind of problem, where there is one right change."""
