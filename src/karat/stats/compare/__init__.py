"""Two runs compared case by case: pairing, differences, tests, power."""
