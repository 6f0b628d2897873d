"""Hook of mkdocs: files of the project that pages link to become pages, and the gallery joins the navigation.

A page of docs/ links to `../examples/dpsgd.py`, as it must in a checkout. On the site there is no such place, so each
file outside docs/ that is linked, or named in the navigation under project/, becomes a page that shows it: Markdown as
it is, a notebook with its outputs, a folder as its files, everything else as code.
"""

from __future__ import annotations

import html
import importlib.util
import json
import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
_FENCED = re.compile(r"^(```.*?^```$)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"(<h1[^>]*>)(.*?)(</h1>)", re.DOTALL)
_UNDERSCORE = re.compile(r"_(?![^<]*>)")  # not within a tag
_LANGUAGES = {".py": "python", ".toml": "toml", ".yml": "yaml", ".json": "json", ".js": "javascript", ".c": "c"}


def on_config(config: Any) -> Any:
    """Headings get the addresses that GitHub gives them; docs/gallery stands in the navigation where it exists."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = slug
    pages = gallery(ROOT / "docs")
    if pages:
        method = next(index for index, part in enumerate(config.nav) if "Method" in part)
        config.nav.insert(method + 1, {"Gallery": pages})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds a page for each file of the project that the pages or the navigation lead to, and for what these lead to."""
    from mkdocs.structure.files import File

    waiting = [(f"docs/{file.src_uri}", file.content_string) for file in files.documentation_pages()]
    wanted = named(config.nav)
    done: set[str] = set()
    while waiting or wanted:
        if waiting:
            path, text = waiting.pop()
            wanted |= {target for _, target in links(path, text) if not target.startswith("docs/")} - done
            continue
        path = wanted.pop()
        done.add(path)
        text = page_of(path)
        files.append(File.generated(config, place(path), content=text))
        waiting.append((path, text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links between files of the checkout become links between pages of the site; lists are read as GitHub does."""
    if hidden := unneeded(page.file.src_uri):
        page.meta["hide"] = hidden
    origin = source(page.file.src_uri)
    moved = outside_blocks(markdown, lambda text: _LINK.sub(lambda found: _moved(found, origin, page), text))
    return _lists().as_python_markdown(moved)


def on_page_content(content: str, **_: Any) -> str:
    """A long name in a heading may be parted after an underscore."""
    return _HEADING.sub(lambda found: found[1] + _UNDERSCORE.sub("_<wbr>", found[2]) + found[3], content)


def unneeded(uri: str) -> list[str]:
    """The sidebars that a page does better without: wide tables and code take their place."""
    if uri in ("index.md", "gallery/README.md"):
        return ["navigation", "toc"]
    return ["toc"] if uri.startswith("gallery/") else []


def _lists() -> Any:
    """The module beside this one; mkdocs loads a hook by its path."""
    spec = importlib.util.spec_from_file_location("dp_audit_site_lists", Path(__file__).with_name("lists.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _moved(found: re.Match[str], origin: str, page: Any) -> str:
    target = resolved(origin, found[2])
    if target is None:
        return found[0]
    relative = posixpath.relpath(place(target), posixpath.dirname(page.file.src_uri) or ".")
    return found[1] + relative + found[3]


def gallery(docs: Path) -> list[Any]:
    """The pages of docs/gallery: its index first, the others in the order of their names."""
    found = sorted(
        (docs / "gallery").glob("**/*.md"), key=lambda page: (page.name not in ("index.md", "README.md"), page)
    )
    return [page.relative_to(docs).as_posix() for page in found]


def named(nav: Any) -> set[str]:
    """The files of the project that the navigation names."""
    if isinstance(nav, str):
        return {source(nav)} if nav.startswith("project/") else set()
    return {path for part in (nav.values() if isinstance(nav, dict) else nav) for path in named(part)}


def links(origin: str, text: str) -> list[tuple[str, str]]:
    """The links of a page to files of the checkout: as they are written, and where they lead."""
    found: list[tuple[str, str]] = []

    def note(part: str) -> str:
        pairs = ((match[2], resolved(origin, match[2])) for match in _LINK.finditer(part))
        found.extend((written, target) for written, target in pairs if target is not None)
        return part

    outside_blocks(text, note)
    return found


def resolved(origin: str, link: str) -> str | None:
    """The path in the checkout to which a link of the file `origin` leads; None where it leads elsewhere."""
    if re.match(r"[a-z]+:", link):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link))
    return path if (ROOT / path).exists() else None


def place(path: str) -> str:
    """Where a file of the checkout stands on the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.endswith(".md"):
        return f"project/{path}"
    return f"project/{path}.md" if (ROOT / path).is_file() else f"project/{path}/index.md"


def source(uri: str) -> str:
    """The file of the checkout that stands at this place of the site."""
    if not uri.startswith("project/"):
        return f"docs/{uri}"
    path = uri.removeprefix("project/")
    if (ROOT / path).exists():
        return path
    return path.removesuffix("/index.md") if path.endswith("/index.md") else path.removesuffix(".md")


def page_of(path: str) -> str:
    """A file of the project as Markdown."""
    file = ROOT / path
    if file.is_dir():
        inside = sorted(each for each in file.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
        shown = "\n".join(code(each, each.relative_to(file).as_posix()) for each in inside)
        return f"# {path}\n\n{shown}"
    if path.endswith(".md"):
        return file.read_text(encoding="utf-8")
    if path.endswith(".ipynb"):
        return notebook(json.loads(file.read_text(encoding="utf-8")))
    return f"# {path}\n\n{code(file, file.name)}"


def code(file: Path, title: str) -> str:
    """A file as a block of code; its fence is longer than any in it."""
    text = file.read_text(encoding="utf-8").rstrip()
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f'{fence}{_LANGUAGES.get(file.suffix, "text")} title="{title}"\n{text}\n{fence}\n'


def notebook(document: Any) -> str:
    """The cells of a notebook and what they showed."""
    parts = []
    for cell in document["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        parts += [_shown(output) for output in cell.get("outputs", ())]
    return "\n\n".join(parts) + "\n"


def _shown(output: Any) -> str:
    data = output.get("data", {"text/plain": output.get("text", "")})
    if "image/png" in data:
        words, image = html.escape("".join(data.get("text/plain", ""))), "".join(data["image/png"]).strip()
        return f'<img alt="{words}" src="data:image/png;base64,{image}">'
    if "text/html" in data:
        return f'<div class="dp-shown">\n{"".join(data["text/html"])}\n</div>'
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"


def outside_blocks(text: str, change: Any) -> str:
    """The text with its parts outside of fenced blocks changed."""
    return "".join(part if part.startswith("```") else change(part) for part in _FENCED.split(text))


def slug(heading: str, separator: str) -> str:
    """The address of a heading as GitHub makes it."""
    text = html.unescape(re.sub(r"<[^>]+>", "", heading)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", separator)
