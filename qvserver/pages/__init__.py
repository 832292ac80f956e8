"""Pages that belong to no game and no board."""
