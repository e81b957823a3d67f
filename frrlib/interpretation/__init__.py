"""Reads configuration lines of routers as settings, so that checks compare them with the settings of other routers."""
