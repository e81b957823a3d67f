"""State of a running lab's routing: pure values and models, fed with the lab's messages, shown by the window."""
