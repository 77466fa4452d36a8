"""A server that sends text compressed, as the hosts of static sites do."""

import functools
import gzip
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TEXT = {".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"}


@functools.cache
def body(path: Path) -> bytes:
    """Return what is sent for a file: gzip for text, the file itself otherwise."""
    content = path.read_bytes()
    return gzip.compress(content, mtime=0) if path.suffix in TEXT else content


class Handler(http.server.SimpleHTTPRequestHandler):
    """Sends files of one folder."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send a file, or 404."""
        path = Path(self.translate_path(self.path))
        found = path.is_file()
        content = body(path) if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(content)))
        if found and path.suffix in TEXT:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        """Print nothing."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder at a local address while the context lasts."""
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
