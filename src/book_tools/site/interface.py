"""The interface speaks Chinese: what the themes leave in English is put into the reader's language."""

from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

# English as the themes print it -> Chinese, for tooltips, labels and short texts of the interface.
CHINESE = {
    "Main": "全书目录",
    "Page": "本节目录",
    "Color mode": "明暗模式",
    "System Settings": "跟随系统",
    "Toggle primary sidebar": "显示或收起目录",
    "Toggle secondary sidebar": "显示或收起本节目录",
    "Toggle hidden content": "展开或收起",
    "Link to this heading": "本标题的链接",
    "Link to this equation": "本式的链接",
    "Link to this image": "本图的链接",
    "Link to this table": "本表的链接",
    "Link to this code": "这段代码的链接",
    "Link to this term": "本词条的链接",
    "Link to this definition": "本定义的链接",
    "列印成 PDF": "打印或存成 PDF",
    "展开source": "展开代码",
    "收起source": "收起代码",
    "展开output": "展开输出",
    "收起output": "收起输出",
    "展开outputs": "展开输出",
    "收起outputs": "收起输出",
    "展开content": "展开代码和输出",
    "收起content": "收起代码和输出",
    "Launch on Binder": "在 Binder 上运行",
    "Launch on Colab": "在 Colab 上运行",
    "Launch interactive content": "在线运行",
    "Source repositories": "源码库",
    "Repository": "源码库",
    "Show source": "查看源文件",
    "Suggest edit": "建议修改",
    "Open issue": "报告问题",
    "Open an issue": "报告问题",
    "download-source-button": "下载本节的笔记本",
}
ATTRIBUTES = ("title", "aria-label", "data-bs-title", "placeholder")


def translate(page: Page) -> None:
    """Replace the English of one page's interface."""
    for name in ATTRIBUTES:
        for tag in page.soup.find_all(attrs={name: True}):
            tag[name] = CHINESE.get(tag[name], tag[name])
    for text in page.soup.select(".btn__text-container"):
        text.string = CHINESE.get(text.text.strip(), text.text)
    for title in page.soup.select("details.hide > summary .admonition-title"):
        title.string = CHINESE.get(title.text, title.text)
    for copyright_line in page.soup.select("p.copyright"):
        copyright_line.string = f"© {page.app.config.copyright}"


def setup(app: Sphinx) -> dict[str, object]:
    """Translate every page."""
    on_page(app, translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
