"""Text from a decoder, one token at a time: which token next, and the loop around it."""

from transformer_book.generation.beam import Beams, beam_search
from transformer_book.generation.fast import FastDecoder
from transformer_book.generation.generate import Generation, generate, left_pad, stream
from transformer_book.generation.sampling import next_token_probabilities, sample

__all__ = [
    "Beams",
    "FastDecoder",
    "Generation",
    "beam_search",
    "generate",
    "left_pad",
    "next_token_probabilities",
    "sample",
    "stream",
]
