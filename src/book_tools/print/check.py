"""What a finished PDF or EPUB must hold: it is looked at before readers are offered it."""

import io
import posixpath
import zipfile
from urllib.parse import unquote
from xml.etree import ElementTree

from pypdf import PdfReader

from book_tools.print.book import Book
from book_tools.print.chapters import ids
from book_tools.print.text_layer import character_maps, correct

OPF = "{http://www.idpf.org/2007/opf}"


def dead_links(book: Book) -> list[str]:
    """Name each link within the book that leads nowhere, and each id that stands twice."""
    names = [name for chapter in book.chapters for name in ids(chapter)]
    links = [link["href"][1:] for chapter in book.chapters for link in chapter.body.select('a[href^="#"]')]
    faults = [f"a link leads to {name}, which is not in the book" for name in sorted({*links} - {*names})]
    return faults + [
        f"the id {name} stands twice" for name in sorted({n for n in names if names.count(n) > 1})
    ]


def faults_of_pdf(book: Book, content: bytes) -> list[str]:
    """Name what a PDF of the book lacks: tags, language, outline, text as people type it."""
    reader = PdfReader(io.BytesIO(content))
    root = reader.trailer["/Root"]
    faults = [
        f"the PDF has no {part}" for part in ("/StructTreeRoot", "/Lang", "/Outlines") if part not in root
    ]
    pages = {
        entry.title: reader.pages[reader.get_destination_page_number(entry)]
        for entry in reader.outline
        if not isinstance(entry, list)
    }
    for title in (chapter.title for chapter in book.chapters):
        if title not in pages:
            faults.append(f"the outline lacks {title!r}")
        elif "".join(title.split()) not in "".join(pages[title].extract_text().split()):
            faults.append(f"the page of {title!r} does not hold it as text")
    if any(correct(text) != text for text in character_maps(reader)):
        faults.append("a font gives radicals for characters: a search would not find them")
    return faults


def faults_of_epub(content: bytes) -> list[str]:
    """Name what is wrong with an EPUB's package: its type, its list of files, its links, its XML."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    first = archive.infolist()[0]
    faults = []
    if (first.filename, first.compress_type) != ("mimetype", zipfile.ZIP_STORED):
        faults.append("the first file must be mimetype, stored")
    held = {name for name in archive.namelist() if name.startswith("EPUB/")} - {"EPUB/package.opf"}
    items = ElementTree.fromstring(archive.read("EPUB/package.opf")).iter(f"{OPF}item")
    listed = {f"EPUB/{item.get('href')}" for item in items}
    faults += [f"{name} must be listed in the package and held" for name in sorted(held ^ listed)]
    pages = {name: ElementTree.fromstring(archive.read(name)) for name in held if name.endswith(".xhtml")}
    known = {name: {tag.get("id") for tag in page.iter()} for name, page in pages.items()}
    for name, page in sorted(pages.items()):
        for tag in page.iter():
            address = tag.get("href") or tag.get("src") or ""
            if not address or ":" in address:
                continue
            path, _, anchor = address.partition("#")
            target = posixpath.normpath(posixpath.join("EPUB", unquote(path))) if path else name
            if target not in held or (anchor and anchor not in known[target]):
                faults.append(f"{name} names {address}, which is not in the book")
    return faults
