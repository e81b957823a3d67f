"""Conversations with FRR's vtysh: prompts, modes, and refused lines."""
