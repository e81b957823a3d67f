"""The drawing area: geometry and scene as pure values, and the Tk canvas that shows them."""
