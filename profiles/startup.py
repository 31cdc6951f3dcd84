"""What Python does first in the notebooks of `make reproduce`: their imports are not searched for garbage.

What is imported stays. To search it for garbage again and again takes a fifth of the time of importing it.
"""


def import_quickly():
    """Look for garbage only among what is made after the cell that imports the library."""
    import gc
    import sys

    from IPython import get_ipython

    def collect(_):
        if "simlib" in sys.modules:
            gc.freeze()
            gc.enable()
            events.unregister("post_run_cell", collect)

    events = get_ipython().events
    events.register("post_run_cell", collect)
    gc.disable()


import_quickly()
del import_quickly  # notebooks find nothing that they did not make
