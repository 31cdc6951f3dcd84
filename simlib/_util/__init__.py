"""What has nothing to do with scheduling: files, hashing, the kernels' cache, numbers in words."""
