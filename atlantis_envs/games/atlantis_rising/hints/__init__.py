"""What a player may be told beside the rules: phases, and values of positions."""
