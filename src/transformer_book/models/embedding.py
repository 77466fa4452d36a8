"""From token numbers to vectors: token, position and token-type embeddings added up (section 1 and 5)."""

import math

import torch
from torch import nn

from transformer_book.models.config import TextConfig
from transformer_book.positions import LearnedPositions, RotaryAngles, rotary_angles, sinusoidal_positions
from transformer_book.table_rows import table_rows


class Embedding(nn.Module):
    """Token embedding plus positions; on request token types, and a norm over the sum.

    token_types: how many, 0 for none.
    """

    def __init__(
        self, config: TextConfig, vocabulary_size: int, *, token_types: int = 0, with_norm: bool = False
    ):
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(vocabulary_size, config.dim)
        learned = config.positions == "learned"
        self.positions = LearnedPositions(config.context_length, config.dim) if learned else None
        self.token_types = nn.Embedding(token_types, config.dim) if token_types else None
        self.norm = nn.LayerNorm(config.dim, eps=config.norm_epsilon) if with_norm else None
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, tokens: torch.Tensor, positions: torch.Tensor, token_types: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Embed tokens (B, N) that stand at positions (N,) or (B, N), giving (B, N, D).

        token_types: (B, N), zeros unless given. Raises ValueError for a token outside the vocabulary, or a
        token type outside the table.
        """
        x = table_rows("tokens", tokens, self.tokens.weight)
        if self.config.embedding_scale:
            x = x * math.sqrt(self.config.dim)
        if self.token_types is not None:
            numbers = torch.zeros_like(tokens) if token_types is None else token_types
            x = x + table_rows("token_types", numbers, self.token_types.weight)
        if self.positions is not None:
            x = x + self.positions(positions)
        elif self.config.positions == "sinusoidal":
            x = x + sinusoidal_positions(positions, self.config.dim, dtype=x.dtype)
        return self.dropout(x if self.norm is None else self.norm(x))

    def rotary(self, positions: torch.Tensor, dtype) -> RotaryAngles | None:
        """The rotary angles of positions, or None when the config has other positions."""
        if self.config.positions != "rotary":
            return None
        base, pairing = self.config.rope_base, self.config.rope_pairing
        return rotary_angles(positions, self.config.size_of_head, base=base, pairing=pairing, dtype=dtype)


def count_positions(padding: torch.Tensor | None, num_tokens: int, device) -> torch.Tensor:
    """Positions of the first num_tokens tokens: (N,), or (B, N) when padding is given.

    padding: boolean (B, N), True at real tokens. Padding takes no position: a padded text has the positions
    it has alone.
    """
    if padding is None:
        return torch.arange(num_tokens, device=device)
    return (padding.cumsum(1) - 1).clamp(min=0)
