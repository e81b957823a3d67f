"""One whole run, from the check of the topology to the results folder."""
