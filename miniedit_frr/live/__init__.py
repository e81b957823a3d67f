"""What is known of a running lab's routing: pure values and models, fed with what a lab tells, shown by the window."""
