"""Records what the explorers ship: `python -m book_tools.record.explorer_data heads continuations`.

heads: attention weights of SmolLM2 and MiniLM on a few sentences. continuations: logits of the quatrain GPT
along seeded continuations. The packs go to src/transformer_book/widgets/data/.
"""
