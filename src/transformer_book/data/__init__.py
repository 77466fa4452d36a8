"""Small real data sets, split the same way every time.

| function | what it gives |
|---|---|
| `load_quatrains()` | 8,563 Tang quatrains in simplified characters, `train` and `validation` |
| `quatrain_vocabulary()` | their 2,494 characters and four special tokens |
| `load_level_tones()` | those of them that are read in a level tone today |
| `load_numerals()` | Chinese numerals and the digits that they mean |
| `load_digit_images()` | 1,797 images of handwritten digits, 8×8, from scikit-learn |
| `load_photograph()` | a colour photograph, 224×224 |
| `load_reviews()` | 6,294 review sentences, positive or negative |

Each file in the data folder has a NOTICE beside it. Arrays are NumPy's; nothing here needs torch.
"""

from transformer_book.data.digits import DigitImages, load_digit_images
from transformer_book.data.numerals import Numerals, load_numerals
from transformer_book.data.photograph import load_photograph
from transformer_book.data.quatrains import Quatrains, load_quatrains, quatrain_vocabulary
from transformer_book.data.reviews import Reviews, load_reviews
from transformer_book.data.tones import load_level_tones
from transformer_book.storage.data_folder import data_folder

__all__ = [
    "DigitImages",
    "Numerals",
    "Quatrains",
    "Reviews",
    "data_folder",
    "load_digit_images",
    "load_level_tones",
    "load_numerals",
    "load_photograph",
    "load_quatrains",
    "load_reviews",
    "quatrain_vocabulary",
]
