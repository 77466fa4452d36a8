"""Heads taken out one at a time (section 6): the terms of the sum, both ablations, and the recorded rows."""

import copy

import pytest
import torch

from transformer_book.attention import MultiHeadAttention
from transformer_book.experiments import head_ablation, head_pairs
from transformer_book.experiments.head_ablation import HeadAblation, by_head, head_output
from transformer_book.experiments.head_scores import copied_tokens, induction_scores, loss_by_position
from transformer_book.models import Decoder, DecoderConfig
from transformer_book.recorded import recorded

PERIOD = 5
IDS = [3, 1, 4, 7, 5] * 2


@pytest.fixture
def decoder(shaken):
    torch.manual_seed(2)
    config = DecoderConfig(
        vocabulary_size=11,
        context_length=12,
        dim=24,
        num_layers=3,
        num_heads=6,
        num_kv_heads=2,
        positions="rotary",
        attention_bias=False,
    )
    return shaken(Decoder(config).eval(), 0.2)


@torch.no_grad()
def test_heads_add_up_to_the_layers_output():
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 6, num_kv_heads=3, causal=True)
    x = torch.randn(2, 7, 12)
    result = attention(x, return_weights=True)
    terms = [head_output(attention, x, result.weights[:, head], head) for head in range(6)]
    torch.testing.assert_close(
        sum(terms) + attention.output.bias, result.output, msg="a head reads other values"
    )


@torch.no_grad()
def test_zero_ablation_is_zeroing_the_heads_block_of_the_output_map(decoder):
    found = HeadAblation(decoder, IDS).without(1, [4, 2])["zero"]
    for row, head in enumerate((4, 2)):
        edited = copy.deepcopy(decoder)
        edited.layers[1].attention.output.weight[:, 4 * head : 4 * head + 4] = 0
        expected = loss_by_position(edited, IDS).mean()
        torch.testing.assert_close(
            found.loss[row], expected, msg="heads are mixed up, or a layer is left out"
        )


@torch.no_grad()
def test_mean_ablation_keeps_what_a_head_always_adds(decoder):
    """A head that attends evenly to one repeated token adds the same everywhere: nothing is lost."""
    same = [3] * 6
    ablation = HeadAblation(decoder, same)
    found = ablation.without(0, [1])
    torch.testing.assert_close(found["mean"].loss[0], ablation.intact.loss[0])
    assert (found["zero"].loss[0] - ablation.intact.loss[0]).abs() > 1e-3


@torch.no_grad()
def test_the_loss_counts_what_can_be_copied_and_scores_are_of_the_watched_heads(decoder):
    watched = ((1, 3), (2, 0), (2, 5))
    ablation = HeadAblation(decoder, IDS, period=PERIOD, watched=watched)
    expected = loss_by_position(decoder, IDS)[PERIOD:].mean()  # the first of round two cannot be copied
    torch.testing.assert_close(ablation.intact.loss[0], expected)
    attention = decoder(torch.tensor([IDS]), return_weights=True).attention
    weights = torch.stack([layer.weights[0] for layer in attention])
    scores = induction_scores(weights, PERIOD)
    torch.testing.assert_close(ablation.intact.scores[0], torch.stack([scores[head] for head in watched]))
    found = ablation.without(1, [0])["zero"].scores[0]
    assert found[0] == ablation.intact.scores[0, 0], "a head of the same layer does not see the deletion"
    assert (found[1:] != ablation.intact.scores[0, 1:]).all(), "later heads see it"


def test_the_copied_share_is_of_the_second_round_among_the_tokens_of_the_first(decoder):
    shares = set()
    for ids in ([*row, *row] for row in torch.rand(40, 11).argsort(dim=1)[:, :PERIOD].tolist()):
        found = HeadAblation(decoder, ids, period=PERIOD).intact.copied[0]
        assert found == copied_tokens(decoder, ids, PERIOD).double().mean()
        shares.add(found.item())
    assert len(shares) > 1, "the texts do not tell a share from a constant"
    assert HeadAblation(decoder, IDS).intact.copied.isnan().all(), "without a period nothing is copied"


def test_heads_deleted_together_are_each_deleted(decoder):
    ablation = HeadAblation(decoder, IDS, period=PERIOD, watched=((2, 0),))
    together = ablation.without_all([(2, 5), (0, 3), (0, 1)])["zero"]
    edited = copy.deepcopy(decoder)
    for layer, head in ((0, 1), (0, 3), (2, 5)):
        edited.layers[layer].attention.output.weight.data[:, 4 * head : 4 * head + 4] = 0
    expected = HeadAblation(edited, IDS, period=PERIOD, watched=((2, 0),)).intact
    torch.testing.assert_close(together.loss, expected.loss, msg="one of the heads is still there")
    torch.testing.assert_close(together.scores, expected.scores)


def test_one_head_deleted_together_with_none_is_that_head_deleted(decoder):
    ablation = HeadAblation(decoder, IDS, period=PERIOD, watched=((2, 0),))
    alone, together = ablation.without(1, [4]), ablation.without_all([(1, 4)])
    for name in head_ablation.ABLATIONS:
        torch.testing.assert_close(together[name].loss, alone[name].loss, msg=f"{name}: another replacement")
        torch.testing.assert_close(together[name].scores, alone[name].scores)


@pytest.mark.parametrize(("layer", "heads"), [(3, [0]), (-1, [0]), (0, [6]), (0, [-1])])
def test_a_head_that_is_not_there(decoder, layer, heads):
    with pytest.raises(ValueError, match="layer and heads must be within 3 layers of 6 heads; got"):
        HeadAblation(decoder, IDS).without(layer, heads)


def test_recorded_rows_are_laid_out_by_layer_head_and_text(row_of):
    rows = recorded("head_ablation").values["rows"]
    table = by_head(rows, "zero.loss")
    settings = head_ablation.SETTINGS
    assert table.shape == (settings.layers, 9, settings.texts)
    row = row_of("head_ablation", "layer_16", 3)
    assert table[16, :, 3].tolist() == pytest.approx(row["zero.loss"])


def test_a_recorded_layer_again(row_of, if_installed):
    again = if_installed(head_ablation.measure_layer, 16, 1).values
    row = row_of("head_ablation", "layer_16", 1)
    assert again.keys() == row.keys() - {"condition", "seed"}
    for key, value in again.items():
        # Thirty layers in float32: another order of adding shifts a loss by some 1e-4 of its size.
        assert value == pytest.approx(row[key], rel=2e-3, abs=2e-3), f"{key}: edited, or other texts"


def test_the_recorded_pairs_are_of_the_strongest_heads():
    rows = recorded("head_ablation").values["rows"]
    whole = torch.tensor([row["loss"] for row in rows]).view(30, 5)[:, None]
    rise = sum(by_head(rows, f"{name}.loss") - whole for name in head_ablation.ABLATIONS).mean(dim=-1)
    strongest = rise.flatten().topk(len(head_pairs.STRONGEST)).indices.tolist()
    assert tuple(divmod(number, 9) for number in strongest) == head_pairs.STRONGEST


def test_recorded_pairs_again(if_installed):
    copying = if_installed(head_ablation.copying_of_smollm2, 3)
    row = recorded("head_pairs").values["rows"][3]
    for number in (5, 70):
        again = copying.without_all(head_pairs.PAIRS[number])
        for name in head_ablation.ABLATIONS:
            # Thirty layers in float32: another order of adding shifts a loss by some 1e-4 of its size.
            found = again[name].loss.item(), again[name].scores.mean().item()
            kept = row[f"{name}.loss"][number], row[f"{name}.score"][number]
            assert found == pytest.approx(kept, rel=2e-3, abs=2e-3), f"{head_pairs.PAIRS[number]}: edited"
