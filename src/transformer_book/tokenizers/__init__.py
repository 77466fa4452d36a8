"""Text to token ids and back: byte-level BPE, WordPiece and plain characters.

| function or class | what it gives |
|---|---|
| `ByteLevelBPE.train(text, vocab_size)` | a byte-level BPE of your own |
| `load_gpt2()` | GPT-2's tokenizer, 50,257 entries |
| `load_smollm2()` | SmolLM2's, 49,152 entries (after `make models`) |
| `load_minilm()` | MiniLM's uncased WordPiece, 30,522 entries (after `make models`) |
| `CharacterVocabulary(characters)` | one id a character, for the small models trained in this book |

All share `.encode(text)` → ids, `.decode(ids)` → text, `.tokens(text)` → readable pieces and
`len(tokenizer)`. Nothing here needs torch.
"""

from transformer_book.tokenizers.byte_level_bpe import ByteLevelBPE
from transformer_book.tokenizers.characters import CharacterVocabulary
from transformer_book.tokenizers.gpt2 import load_gpt2
from transformer_book.tokenizers.minilm import load_minilm
from transformer_book.tokenizers.smollm2 import load_smollm2
from transformer_book.tokenizers.wordpiece import WordPiece

__all__ = ["ByteLevelBPE", "CharacterVocabulary", "WordPiece", "load_gpt2", "load_minilm", "load_smollm2"]
