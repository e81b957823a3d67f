"""The lab server: a process that keeps a detached lab, so that other programs can join it, also by SSH."""
