"""Files in and out: whole files, safetensors, GGUF, what installed packages ship, and the book's data folder.

Importing this package imports no torch; only `storage.weights` needs it.
"""
