"""Series: what a selection stands for when its dimensions are taken together."""
