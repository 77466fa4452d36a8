"""Text to token ids and back: byte-level BPE, WordPiece and plain characters.

| function or class | what it gives |
|---|---|
| `ByteLevelBPE.train(text, vocab_size)` | a byte-level BPE of your own |
| `load_gpt2_tokenizer()` | GPT-2's tokenizer, 50,257 entries |
| `load_smollm2_tokenizer()` | SmolLM2's, 49,152 entries (after `make models`) |
| `load_minilm_tokenizer()` | MiniLM's uncased WordPiece, 30,522 entries (after `make models`) |
| `load_tokenizer_json(path)` | the byte-level BPE of a published tokenizer.json |
| `CharacterVocabulary(characters)` | one id per character, for the small models trained in this book |

All share `.encode(text)` → ids, `.decode(ids)` → text, `.tokens(text)` → readable pieces and
`len(tokenizer)`. `special=True` means in each: names of special tokens in the text become their ids; BPE
leaves them as text by default, WordPiece reads them. Nothing here needs torch.
"""

from transformer_book.tokenizers.byte_level_bpe import ByteLevelBPE
from transformer_book.tokenizers.characters import CharacterVocabulary
from transformer_book.tokenizers.gpt2 import load_gpt2_tokenizer
from transformer_book.tokenizers.minilm import load_minilm_tokenizer
from transformer_book.tokenizers.smollm2 import load_smollm2_tokenizer
from transformer_book.tokenizers.tokenizer_json import load_tokenizer_json
from transformer_book.tokenizers.wordpiece import WordPiece

# In this room a loader without a suffix loads a tokenizer; the same names in `pretrained` load the model too.
load_gpt2, load_minilm, load_smollm2 = load_gpt2_tokenizer, load_minilm_tokenizer, load_smollm2_tokenizer

__all__ = [
    "ByteLevelBPE",
    "CharacterVocabulary",
    "WordPiece",
    "load_gpt2",
    "load_gpt2_tokenizer",
    "load_minilm",
    "load_minilm_tokenizer",
    "load_smollm2",
    "load_smollm2_tokenizer",
    "load_tokenizer_json",
]
