"""Pictures as readers load them: WebP, in few colours for plots, at high quality for photographs."""

from io import BytesIO
from pathlib import Path

from PIL import Image
from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

PHOTOGRAPH = 100_000  # bytes; a plot of the book takes fewer without loss
QUALITY = 85
COLOURS = 48  # of a plot: half the bytes, and the eye sees no difference


def name_webp(page: Page) -> None:
    """Point each picture of the page to its WebP form."""
    for image in page.select("img[src*='_images/'][src$='.png']"):
        image["src"] = image["src"].removesuffix(".png") + ".webp"


def webp(source: Path) -> bytes:
    """Return a PNG file's picture as WebP."""
    with Image.open(source) as picture:
        if len(_written(picture, lossless=True)) > PHOTOGRAPH:
            return _written(picture, quality=QUALITY)
        plot = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        return _written(plot.convert("RGB"), lossless=True)


def _written(picture: Image.Image, **options) -> bytes:
    written = BytesIO()
    picture.save(written, "WEBP", method=4, **options)
    return written.getvalue()


def convert(app: Sphinx, error: Exception | None) -> None:
    """Replace the PNG files beside the finished pages."""
    if error or app.builder.format != "html":
        return
    for source in Path(app.outdir, "_images").glob("*.png"):
        source.with_suffix(".webp").write_bytes(webp(source))
        source.unlink()


def setup(app: Sphinx) -> dict[str, object]:
    """Convert what was built."""
    on_page(app, name_webp)
    app.connect("build-finished", convert, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
