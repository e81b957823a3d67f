"""Small files of this user, such as preferences and permissions, and files of the package besides code."""
