"""The schedulers as their text can also be read: the details that MF section 2 leaves open, as options.

They are for one purpose, to find out which program the authors of MF ran (`detective`). So they are kept apart from the
library's kernels, which stay as readable as the text and of which they are made; read as `TEXT` they give the same
schedules. No detail here is a good idea for a scheduler of today. `qsim` has the rules of Tang's simulator likewise.
"""
