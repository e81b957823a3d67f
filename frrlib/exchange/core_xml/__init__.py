"""Scenarios of CORE, the Common Open Research Emulator (`.xml`), with the configurations of its services."""
