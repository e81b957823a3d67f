"""Measures whether the links of a running lab behave as the topology says."""
