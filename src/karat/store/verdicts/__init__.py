"""What people and judges say of cases."""
