"""Compare two pictures within a stated tolerance: PNG pixel by pixel, SVG element by element."""

import base64
import binascii
import io
import re
from xml.etree import ElementTree

import numpy as np
from PIL import Image, UnidentifiedImageError

# Anti-aliasing may move a grey edge a little between builds of FreeType; a changed digit moves more.
CHANNEL_TOLERANCE = 16  # of 255
PIXEL_SHARE = 2e-5  # share of pixels that may differ by more
# Of a SVG's units, a sixth of a pixel where the figure is widest; its file has two decimals.
LENGTH_TOLERANCE = 0.05

PNG, SVG = "image/png", "image/svg+xml"
# A colour and a name hold digits that are no lengths.
_LENGTH = re.compile(r"(?<![\w#.])-?\d+(?:\.\d+)?(?:e-?\d+)?")
_EMBEDDED = "data:image/png;base64,"


def decode(text):
    """Turn the base64 text of a PNG into an array (height, width, 4) of bytes; ValueError for other text."""
    try:
        data = base64.b64decode("".join(text), validate=False)
        with Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("RGBA"))
    except (binascii.Error, UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ValueError(f"not a PNG picture ({error})") from None


def kind_of(data):
    """Return the kind of the picture in an output's data, SVG or PNG, or None."""
    return next((kind for kind in (SVG, PNG) if kind in data), None)


def data_difference(stored, fresh):
    """Return None if two outputs' data show the same picture, or none; else how they differ."""
    kinds = kind_of(stored), kind_of(fresh)
    if kinds[0] != kinds[1]:
        return f"the stored picture is {kinds[0]}, a fresh one {kinds[1]}"
    if kinds[0] is None:
        return None
    return (difference if kinds[0] == PNG else svg_difference)(stored[kinds[0]], fresh[kinds[0]])


def svg_difference(stored, fresh):
    """Return None if two SVGs draw the same, else one sentence saying how they differ."""
    try:
        old, new = (list(ElementTree.fromstring("".join(text)).iter()) for text in (stored, fresh))
    except ElementTree.ParseError as error:
        return f"not an SVG picture ({error})"
    if len(old) != len(new):
        return f"the stored picture has {len(old)} elements, a fresh one {len(new)}"
    for one, other in zip(old, new, strict=True):
        name = one.tag.rpartition("}")[2]
        if (one.tag, (one.text or "").strip()) != (other.tag, (other.text or "").strip()):
            other_name = other.tag.rpartition("}")[2]
            return f"<{name}> {one.text or ''} is <{other_name}> {other.text or ''} in a fresh drawing"
        if one.attrib.keys() != other.attrib.keys():
            return f"<{name}> has {list(one.attrib)}, in a fresh drawing {list(other.attrib)}"
        for key, value in one.attrib.items():
            if fault := _value_difference(value, other.get(key)):
                return f"{key.rpartition('}')[2]} of <{name}>: {fault}"
    return None


def _value_difference(old, new):
    if old.startswith(_EMBEDDED) and new.startswith(_EMBEDDED):
        return difference(old.removeprefix(_EMBEDDED), new.removeprefix(_EMBEDDED))
    old_lengths, new_lengths = (np.array(_LENGTH.findall(text), dtype=float) for text in (old, new))
    if _LENGTH.sub("·", old) != _LENGTH.sub("·", new):
        return f"{old[:60]} is {new[:60]} in a fresh drawing"
    off = np.abs(old_lengths - new_lengths)
    if off.max(initial=0) <= LENGTH_TOLERANCE:
        return None
    place = off.argmax()
    return f"{old_lengths[place]:g} is {new_lengths[place]:g} in a fresh drawing"


def difference(stored, fresh):
    """Return None if two base64 PNGs show the same picture, else one sentence saying how they differ."""
    try:
        old, new = decode(stored), decode(fresh)
    except ValueError as error:
        return str(error)
    if old.shape != new.shape:
        (old_height, old_width), (new_height, new_width) = old.shape[:2], new.shape[:2]
        return f"the stored picture is {old_width}×{old_height} pixels, a fresh one {new_width}×{new_height}"
    off = np.abs(old.astype(np.int16) - new.astype(np.int16)).max(axis=2) > CHANNEL_TOLERANCE
    if off.mean() <= PIXEL_SHARE:
        return None
    rows, columns = np.nonzero(off)
    return (
        f"{int(off.sum())} of {off.size} pixels differ from a fresh drawing, "
        f"between rows {rows.min()}–{rows.max()} and columns {columns.min()}–{columns.max()}"
    )
