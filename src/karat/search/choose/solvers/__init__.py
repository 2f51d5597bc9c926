"""The best combination of options: branch and bound, enumeration, an integer program."""
