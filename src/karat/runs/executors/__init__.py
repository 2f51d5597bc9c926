"""Where scoring runs: in this process, on a pool of processes, or on a Dask cluster. One interface, the same scores."""
