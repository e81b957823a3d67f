"""The window itself: menus, panes, help, its icon, and the desktop that it is on."""
