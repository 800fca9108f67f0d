"""Opening, unpacking and writing files, on this machine and elsewhere."""
