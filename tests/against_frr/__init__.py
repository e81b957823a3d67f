"""Random networks in real labs: predictions and checks compared with what FRR and the kernel report."""
