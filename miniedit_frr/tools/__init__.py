"""The pointer's tools on the canvas: a tool begins a gesture, and a gesture ends in one edit."""
