"""The question's side: what a person asks for, in items that code can be compared with."""
