"""Reading only a part of a file: some steps, a range of time, no Python frames.

A part is guessed, read, and checked. The text tells about when steps run. Around them, with the
steps before and after, everything is read; of the rest only steps and memory, and of what is left
out the extent in time, the threads and which calls launched device work. From that follows
whether the steps are as long as in the whole and every launch is known; if not, a second pass
takes all calls and all device work, and in the end the range may be the whole file.
`chrome_part.py`, which knows what tables depend on, then cuts the model.
"""
