"""The programs by which commands, terminals and connections enter a running lab."""
