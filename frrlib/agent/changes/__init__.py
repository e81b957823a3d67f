"""Changes of a running lab: each step is made, or all of them are taken back."""
