"""TLS against a stub with a certificate made for the test."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

import kvstore

from stub import StubServer

OPENSSL = shutil.which("openssl")


@unittest.skipUnless(OPENSSL, "openssl is not installed")
class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        folder = Path(made.name)
        cls.certificate, key = folder / "certificate", folder / "key"
        make = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        files = ["-keyout", str(key), "-out", str(cls.certificate)]
        names = ["-addext", "subjectAltName=DNS:localhost"]
        command = [str(OPENSSL), *make.split(), *names, *files]
        subprocess.run(command, check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cls.certificate, key)
        cls.server = StubServer(answers={"ping": None}, tls=tls)
        cls.addClassCleanup(cls.server.close)

    def test_a_trusted_server_is_talked_to(self) -> None:
        trust = ssl.create_default_context(cafile=str(self.certificate))
        with kvstore.connect(self.server.url, ssl_context=trust) as client:
            client.ping()
            client.ping()
        connections = {connection for connection, _ in self.server.calls}
        self.assertEqual(1, len(connections))

    def test_an_untrusted_server_is_not(self) -> None:
        with self.assertRaisesRegex(kvstore.ConnectionFailedError, "CERTIFICATE") as caught:
            kvstore.connect(self.server.url)
        self.assertFalse(caught.exception.retryable)

    def test_a_server_of_another_name_is_not(self) -> None:
        trust = ssl.create_default_context(cafile=str(self.certificate))
        url = self.server.url.replace("localhost", "127.0.0.1")
        with self.assertRaisesRegex(kvstore.ConnectionFailedError, "CERTIFICATE"):
            kvstore.connect(url, ssl_context=trust)
