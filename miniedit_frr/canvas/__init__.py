"""The drawing area: a Tk canvas that shows a scene, and the signs of a running lab on it."""
