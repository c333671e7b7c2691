"""What play needs: positions, legal actions, chance, observations."""
