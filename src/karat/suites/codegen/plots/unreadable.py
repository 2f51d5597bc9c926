"""What a plot that cannot be read is: a reason in words, for a person who looks at it."""


class CannotRead(Exception):
    """A figure that has no form here. Its case needs a review."""
