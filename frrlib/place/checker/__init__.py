"""A confined process in which FRR's vtysh checks configurations of other people."""
