"""What Karat costs, each figure beside that of another tool measured in the same run."""
