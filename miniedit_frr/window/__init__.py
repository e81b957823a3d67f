"""The window itself: menus, panes, help, its icon, preferences, and the desktop around it."""
