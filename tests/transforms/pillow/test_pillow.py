"""Text sizes by way of boxes; images from the bytes of arrays."""

import importlib.util
import sys

import numpy as np
import pytest

from migrator.resources import templates_dir
from tests.transforms.texts import migrated

FONTS = """from PIL import ImageDraw, ImageFont
try:
  font = ImageFont.truetype('arial.ttf', 24)
except IOError:
  font = ImageFont.load_default_imagefont()
draw = ImageDraw.Draw(image)
"""
DEFAULT = "ImageFont.load_default_imagefont()"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("w, h = font.getsize(text)", "w, h = font.getbbox(text)[2:]"),
        ("h = [font.getsize(s)[1] for s in texts]", "h = [font.getbbox(s)[2:][1] for s in texts]"),
        ("size = draw.textsize(text, font)", "size = draw.textbbox((0, 0), text, font)[2:]"),
        ("size = draw.textsize(text, font=font)",
         "size = draw.textbbox((0, 0), text, font=font)[2:]"),
        ("size = draw.textsize(text)", f"size = draw.textbbox((0, 0), text, font={DEFAULT})[2:]"),
        ("draw.text((1, 2), text)", f"draw.text((1, 2), text, font={DEFAULT})"),
        ("draw.text((1, 2), (text),)", f"draw.text((1, 2), (text), font={DEFAULT})"),
        ("draw.text((1, 2), text, fill=(0, 0, 0))",
         f"draw.text((1, 2), text, fill=(0, 0, 0), font={DEFAULT})"),
        ("draw.text((1, 2), text, 'red', font)", "draw.text((1, 2), text, 'red', font)"),
        ("draw.text((1, 2), text, font=font)", "draw.text((1, 2), text, font=font)"),
        ("draw.text((1, 2), text, **style)", "draw.text((1, 2), text, **style)"),
        ("page.text((1, 2), text)", "page.text((1, 2), text)"),
        ("font = ImageFont.load_default()", f"font = {DEFAULT}"),
        ("font = ImageFont.load_default(12)", "font = ImageFont.load_default(12)"),
        ("h = os.path.getsize(text)", "h = os.path.getsize(text)"),
        ("h = other.getsize(text)", "h = other.getsize(text)"),
        ("h = font.getsize(text, 'ltr')", "h = font.getsize(text, 'ltr')"),
    ],
)  # fmt: skip
def test_text_sizes(before: str, after: str) -> None:
    new = migrated(FONTS + before + "\n")
    assert new == FONTS + after + "\n"
    assert migrated(new) == new


def test_an_attribute_that_holds_a_font() -> None:
    text = (
        "from PIL import ImageFont\n"
        "class Labels:\n"
        "  def __init__(self):\n"
        "    self.font = ImageFont.truetype('arial.ttf', 24)\n"
        "  def width(self, text):\n"
        "    return self.font.getsize(text)[0]\n"
    )
    assert "return self.font.getbbox(text)[2:][0]" in migrated(text)


def test_fonts_and_drawings_that_functions_are_given() -> None:
    """By place, by keyword, as a default, and from one function to the next."""
    text = (
        "from PIL import ImageDraw, ImageFont\n"
        "FONT = ImageFont.load_default()\n"
        "def measure(pen, words, letters):\n"
        "  return pen.textsize(words), letters.getsize(words), words.getsize(pen)\n"
        "def label(image, words, kind=ImageFont.load_default(), font=None):\n"
        "  draw = ImageDraw.Draw(image)\n"
        "  return measure(draw, words, letters=font), kind.getsize(words)\n"
        "label(image, 'a', font=FONT)\n"
    )
    new = migrated(text)
    assert "def label(image, words, kind=ImageFont.load_default_imagefont(), font=None)" in new
    assert (f"return pen.textbbox((0, 0), words, font={DEFAULT})[2:], letters.getbbox(words)[2:], "
            "words.getsize(pen)" in new)
    assert "kind.getbbox(words)[2:]" in new
    assert migrated(new) == new


@pytest.mark.skipif(importlib.util.find_spec("PIL") is None, reason="Pillow is not installed")
def test_images_of_the_bytes_of_arrays() -> None:
    """The first 12 bytes of a float64 1.0, as Pillow 8.4 took them for a 2 x 2 RGB image."""
    spec = importlib.util.spec_from_file_location(
        "tf1_support_pillow", templates_dir() / "support" / "pillow.py"
    )
    assert spec is not None and spec.loader is not None
    pillow = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pillow)
    found = np.asarray(pillow.fromarray(np.ones([2, 2, 3]), "RGB"))
    assert found.tolist() == [[[0, 0, 0], [0, 0, 0]], [[240, 63, 0], [0, 0, 0]]]
    with pytest.raises(ValueError, match="Too many dimensions"):
        pillow.fromarray(np.zeros([1, 2, 3]), "L")


def test_the_font_is_imported_where_it_was_not() -> None:
    text = "from PIL import Image, ImageDraw\ndraw = ImageDraw.Draw(image)\ndraw.text((0, 0), 'a')\n"
    new = migrated(text)
    assert "draw.text((0, 0), 'a', font=ImageFont.load_default_imagefont())" in new
    assert "ImageFont" in new.partition("draw")[0]
