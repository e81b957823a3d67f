"""Whether a run can be trusted: what was measured, held against what was drawn."""
