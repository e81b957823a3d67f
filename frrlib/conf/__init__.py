"""FRR's configuration as text: sections, differences and merging."""
