"""Records what the explorers ship: `python -m book_tools.record.explorer_data heads rhymes`.

heads: attention weights of SmolLM2 and MiniLM on a few sentences. rhymes: which characters of the quatrains
rhyme. The files go to src/transformer_book/widgets/data/.
"""
