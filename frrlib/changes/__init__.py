"""Changes of a running lab: the difference of two topologies in words, and as steps for the agent."""
