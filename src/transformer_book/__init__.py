"""The library that every notebook of the book imports.

Importing this package imports neither torch nor Jupyter; rooms that need torch import it themselves.
"""
