"""Published measurements against what the models of `pricing` predict for them."""
