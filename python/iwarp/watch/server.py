# SPDX-License-Identifier: GPL-2.0-only
"""A page of a watched sweep for browsers of this machine: it asks for the state every few seconds."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..errors import IwarpError
from ..report.page import LIBRARY, library_text, render_page
from .state import Watched

HOST = "127.0.0.1"  #: nobody from elsewhere is served


class Server(ThreadingHTTPServer):
    """Serves the page of a directory at ``address`` until shutdown(); the system chooses the port."""

    daemon_threads = True

    def __init__(self, watched: Watched):
        super().__init__((HOST, 0), _Handler)
        self.watched = watched

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        """Answer with the page, the library that it draws with, or what it asks for."""
        if self.headers.get("Host") != f"{HOST}:{self.server.server_port}":  # a name of elsewhere that leads here
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        parts = urlsplit(self.path)
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        watched = self.server.watched
        answers: dict[str, Callable[[], tuple[str, bytes]]] = {
            "/": lambda: ("text/html; charset=utf-8", render_page("watch.html.j2").encode()),
            f"/{LIBRARY}": lambda: ("text/javascript; charset=utf-8", library_text().encode()),
            "/state.json": lambda: _json(watched.state(asked.get("metric"))),
            "/configuration.json": lambda: _json(watched.configuration(asked)),
        }
        if parts.path not in answers:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            kind, body = answers[parts.path]()
            status = HTTPStatus.OK
        except IwarpError as error:
            kind, body = _json({"error": str(error)})
            status = HTTPStatus.BAD_REQUEST
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of requests."""


def _json(value: Any) -> tuple[str, bytes]:
    return "application/json", json.dumps(value, allow_nan=False).encode()
