"""The pages of what is compared: boards, players, clubs."""
