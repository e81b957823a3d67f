"""The files by which a lab in virtual time and its supervisor stop and start the lab's clock."""
