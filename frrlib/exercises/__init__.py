"""Graded exercises: their files, the numbers of each student, checks on a running lab, and grades."""
