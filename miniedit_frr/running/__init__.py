"""Running a lab from the window: joins a session with canvas, panels, menus and terminal windows."""
