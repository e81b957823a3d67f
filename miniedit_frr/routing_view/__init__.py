"""The routing of a running lab: signs on the canvas, tables, explanations of what is missing, and the timeline."""
