"""What is installed beside Karat: optional packages and plug-ins, and what is wrong with them."""
