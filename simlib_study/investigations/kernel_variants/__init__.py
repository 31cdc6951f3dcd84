"""EASY as public programs have it, and Tang's simulator: details that the papers' text leaves open, as options.

They are kept apart from the library's kernels, which stay as readable as the text and of which they are made; read as
`TEXT` they give the same schedules. No detail here is a good idea for a scheduler of today.
"""
