"""What people say of a case, and which case they look at next."""
