"""Models of workloads: jobs made up at random to resemble those of real machines."""
