"""Labs of Kathara: a folder with `lab.conf`, commands of each device at the start, and configurations of FRR."""
