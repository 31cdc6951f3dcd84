"""Where logs come from and go: SWF, catalogue and download, sacct, sanity checks, restoring."""
