"""The earlier address of `transformer_book.storage.weights`, kept because readers' programs import it."""

from transformer_book.storage.weights import load_model, read_safetensors, save_model, write_safetensors

__all__ = ["load_model", "read_safetensors", "save_model", "write_safetensors"]
