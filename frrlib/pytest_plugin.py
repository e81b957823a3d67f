"""The name under which pytest finds the plugin: `frrlib.testing.plugin` has the fixture `lab`."""

pytest_plugins = ("frrlib.testing.plugin",)
