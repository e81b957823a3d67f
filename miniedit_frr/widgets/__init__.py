"""Parts of windows with any content: tables, menus, tips, and windows beside the topology."""
