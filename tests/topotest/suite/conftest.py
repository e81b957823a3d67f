raise RuntimeError("the tree around a directory is not for labs")
