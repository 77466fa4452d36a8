"""Fetching from a hub: a mirror on this machine serves a made-up model as the hub would."""

import hashlib
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import torch
from transformers import GPT2LMHeadModel

from transformer_book.pretrained import MissingPackageError, load_bert, load_gpt2

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Mirror(BaseHTTPRequestHandler):
    """Answer /owner/name/resolve/main/file, with the headers by which the client knows what it got."""

    def __init__(self, folder, requests, *arguments):
        self.folder, self.requests = folder, requests
        super().__init__(*arguments)

    def do_GET(self):
        self.requests.append((self.command, self.path))
        repository, _, name = self.path.partition("/resolve/main/")
        path = self.folder / name
        if repository != "/owner/tiny" or not path.is_file():
            self.send_response(404)
            self.send_header(
                "X-Error-Code", "EntryNotFound" if repository == "/owner/tiny" else "RepoNotFound"
            )
            self.end_headers()
            return
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


@pytest.fixture
def mirror(gpt2_folder, tmp_path, monkeypatch):
    """The address of a mirror that serves the folder as owner/tiny, and what it was asked for."""
    hub = pytest.importorskip("huggingface_hub", reason="fetching from the hub is optional: make models")
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    requests = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Mirror, gpt2_folder, requests))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", requests
    server.shutdown()
    server.server_close()
    thread.join()


@torch.no_grad()
def test_fetching_from_a_mirror(mirror, gpt2_folder):
    address, requests = mirror
    model, tokenizer = load_gpt2("owner/tiny", mirror=address)
    tokens = torch.tensor([tokenizer.encode("the cat")])
    assert torch.equal(model(tokens).logits, load_gpt2(gpt2_folder).model(tokens).logits)
    assert ("GET", "/owner/tiny/resolve/main/model.safetensors") in requests
    assert not any(path.endswith(".bin") for _, path in requests), "a pickle was asked for"
    downloads = sum(command == "GET" for command, _ in requests)
    load_gpt2("owner/tiny", mirror=address)
    assert sum(command == "GET" for command, _ in requests) == downloads, "the files were fetched twice"


@torch.no_grad()
def test_weights_in_several_files_are_fetched_one_by_one(mirror, gpt2_folder):
    address, requests = mirror
    expected = load_gpt2(gpt2_folder).model(torch.arange(5)[None]).logits
    GPT2LMHeadModel.from_pretrained(gpt2_folder).save_pretrained(gpt2_folder, max_shard_size="20KB")
    (gpt2_folder / "model.safetensors").unlink()
    found = load_gpt2("owner/tiny", mirror=address).model(torch.arange(5)[None]).logits
    assert torch.equal(found, expected)
    files = {path for command, path in requests if command == "GET" and path.endswith(".safetensors")}
    assert len(files) > 1


def test_the_mirror_of_the_environment(mirror, monkeypatch):
    address, requests = mirror
    monkeypatch.setenv("HF_ENDPOINT", address)
    load_gpt2("owner/tiny")
    assert requests


def test_a_model_without_a_file_it_needs(mirror):
    address, _ = mirror
    with pytest.raises(FileNotFoundError, match=r"owner/tiny at http.* has no file vocab\.txt"):
        load_bert("owner/tiny", mirror=address)


def test_an_unknown_model(mirror):
    address, _ = mirror
    with pytest.raises(ConnectionError, match=r"http.* refused owner/none"):
        load_gpt2("owner/none", mirror=address)


def test_no_connection_says_what_to_do(mirror, monkeypatch):
    with pytest.raises(
        ConnectionError, match=r"could not be fetched from .* give a folder with .* or a mirror such as"
    ):
        load_gpt2("owner/other", mirror="http://127.0.0.1:9")


@pytest.mark.parametrize("source", ["./none", "/none/at/all", "none", "a/b/c"])
def test_a_folder_that_is_not_there(source):
    with pytest.raises(
        FileNotFoundError,
        match="source must be a folder, or a name on the hub such as openai-community/gpt2; got",
    ):
        load_gpt2(source)


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(MissingPackageError, match="huggingface-hub: run `make models` first"):
        load_gpt2("owner/tiny")
