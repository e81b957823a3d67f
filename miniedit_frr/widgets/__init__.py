"""Parts of windows, whatever they show: tables, menus, tips, windows beside the drawing."""
