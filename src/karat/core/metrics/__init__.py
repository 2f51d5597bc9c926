"""What belongs to a metric besides the Metric itself: its parameters, its names, its examples, and a guard for those of
other packages."""
