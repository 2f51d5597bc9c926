"""What a task's ``tests`` say of an answer: asserts, properties, relations, other tables."""
