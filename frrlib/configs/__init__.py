"""FRR configurations beside a topology: adopted from running routers, imported, exported, and kept after runs."""
