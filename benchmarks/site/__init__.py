"""Measures of the built site: what a page loads, how fast it stands, whether it moves, what axe finds."""
