"""What windows are made of, whatever they show: tables, menus, tips, windows beside the drawing."""
