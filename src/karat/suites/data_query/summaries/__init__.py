"""What a run shows over all its cases: outcomes, stages, confusions and reasons, as figures and as sheets."""
