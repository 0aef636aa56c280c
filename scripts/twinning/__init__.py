"""Scenes that must give the same results as another one, and how the results are held together."""
