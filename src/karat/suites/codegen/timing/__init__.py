"""How long right code takes beside the reference, and how its time grows; right on larger tables too?"""
