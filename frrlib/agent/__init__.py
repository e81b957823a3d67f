"""The agent: the process in the lab that executes the plan. The only room with Mininet."""
