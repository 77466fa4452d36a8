"""Exact parameter counts of the named sizes beside what their papers print, and why the two differ."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedCount:
    """One row of the table.

    parameters: exact, of our model. paper: the paper's figure as printed. code: where the exact count is
    confirmed. differs: what separates the two, in one sentence.
    """

    parameters: int
    paper: str
    source: str
    code: str
    differs: str


PUBLISHED = {
    "gpt2-small": PublishedCount(
        124_439_808,
        "117M",
        "Radford et al. (2019), table 2",
        "openai/gpt-2 checkpoint 124M, transformers GPT2LMHeadModel",
        "The paper's table is a misprint that the authors corrected to 124M when they released the weights.",
    ),
    "gpt2-medium": PublishedCount(
        354_823_168,
        "345M",
        "Radford et al. (2019), table 2",
        "openai/gpt-2 checkpoint 355M, transformers GPT2LMHeadModel",
        "The paper's table is a misprint that the authors corrected to 355M when they released the weights.",
    ),
    "gpt2-large": PublishedCount(
        774_030_080,
        "762M",
        "Radford et al. (2019), table 2",
        "openai/gpt-2 checkpoint 774M, transformers GPT2LMHeadModel",
        "The paper's table is a misprint that the authors corrected to 774M when they released the weights.",
    ),
    "gpt2-xl": PublishedCount(
        1_557_611_200,
        "1542M",
        "Radford et al. (2019), table 2",
        "openai/gpt-2 checkpoint 1558M, transformers GPT2LMHeadModel",
        "The paper's table is a misprint that the authors corrected to 1558M when they released the weights.",
    ),
    "gpt3-175b": PublishedCount(
        174_604_259_328,
        "175.0B",
        "Brown et al. (2020), table 2.1",
        "the sizes of table 2.1 in GPT-2's form; no code or weights were published",
        "The paper rounds up 174.6 billion; its vocabulary of 50,257 is GPT-2's.",
    ),
    "bert-base": PublishedCount(
        109_482_240,
        "110M",
        "Devlin et al. (2019), section 3",
        "google-research/bert BertModel, transformers BertModel",
        "The paper rounds; with the pooler, without heads for pre-training, uncased vocabulary of 30,522.",
    ),
    "bert-large": PublishedCount(
        335_141_888,
        "340M",
        "Devlin et al. (2019), section 3",
        "google-research/bert BertModel, transformers BertModel",
        "The paper rounds up; with the pooler, without heads for pre-training, uncased vocabulary of 30,522.",
    ),
    "transformer-base": PublishedCount(
        63_045_632,
        "65M",
        "Vaswani et al. (2017), table 3",
        "tensor2tensor transformer_base: no biases in attention, one shared embedding, here of 37,000 tokens",
        "65M would need some 40,800 tokens, the big model's 213M some 35,900: no vocabulary gives both.",
    ),
    "transformer-big": PublishedCount(
        214_171_648,
        "213M",
        "Vaswani et al. (2017), table 3",
        "tensor2tensor transformer_big: no biases in attention, one shared embedding, here of 37,000 tokens",
        "213M would need some 35,900 tokens, the base model's 65M some 40,800: no vocabulary gives both.",
    ),
    "vit-b16": PublishedCount(
        86_567_656,
        "86M",
        "Dosovitskiy et al. (2021), table 1",
        "google-research/vision_transformer, transformers ViTForImageClassification",
        "The paper rounds, and counts the model without its head of 1,000 classes (769,000 parameters).",
    ),
    "vit-l16": PublishedCount(
        304_326_632,
        "307M",
        "Dosovitskiy et al. (2021), table 1",
        "google-research/vision_transformer, transformers ViTForImageClassification",
        "The released weights hold 303.3M without a head, 304.3M with 1,000 classes; neither is 307M.",
    ),
    "smollm2-135m": PublishedCount(
        134_515_008,
        "135M",
        "Allal et al. (2025), model card",
        "HuggingFaceTB/SmolLM2-135M, transformers LlamaForCausalLM",
        "The name rounds; token embedding and output layer are tied.",
    ),
    "minilm-l6": PublishedCount(
        22_713_216,
        "22.7M",
        "sentence-transformers/all-MiniLM-L6-v2, model card",
        "sentence-transformers/all-MiniLM-L6-v2, transformers BertModel",
        "The card rounds; the pooler is in the file although sentence vectors are means.",
    ),
}
