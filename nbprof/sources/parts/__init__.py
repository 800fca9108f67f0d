"""Reading only a part of a file: some steps, a range of time, no Python frames."""
