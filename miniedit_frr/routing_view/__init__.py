"""The routing of a running lab: signs on the canvas, tables, and the timeline."""
