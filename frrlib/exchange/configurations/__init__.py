"""Configurations of FRR beside the files of other programs, read within limits and imported for the routers."""
