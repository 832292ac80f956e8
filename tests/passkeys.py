"""A passkey made of software: what an authenticator answers when it is asked to register and to sign in."""

from __future__ import annotations

import secrets
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import sha256, websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

_FLAG = AuthenticatorData.FLAG


class Passkey:
    """One credential at one site, for a user who is always present and verified."""

    def __init__(self, *, origin: str) -> None:
        self.origin = origin
        self.id = secrets.token_bytes(32)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._user = ""

    def register(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to ``creation_options``."""
        public = options["publicKey"]
        self._user = public["user"]["id"]
        client = self._client_data("webauthn.create", public["challenge"])
        credential = AttestedCredentialData.create(
            Aaguid.NONE, self.id, ES256.from_cryptography_key(self._key.public_key())
        )
        data = AuthenticatorData.create(
            sha256(public["rp"]["id"].encode()), _FLAG.UP | _FLAG.UV | _FLAG.AT, 0, credential
        )
        attestation = AttestationObject.create("none", data, {})
        return self._answer({"clientDataJSON": client, "attestationObject": attestation}) | {
            "clientExtensionResults": {"credProps": {"rk": True}}
        }

    def sign_in(self, options: dict[str, Any]) -> dict[str, Any]:
        """The answer to ``request_options``."""
        public = options["publicKey"]
        client = self._client_data("webauthn.get", public["challenge"])
        data = AuthenticatorData.create(sha256(public["rpId"].encode()), _FLAG.UP | _FLAG.UV, 1)
        signature = self._key.sign(bytes(data) + sha256(client), ec.ECDSA(SHA256()))
        answer = self._answer({"clientDataJSON": client, "authenticatorData": data, "signature": signature})
        answer["response"]["userHandle"] = self._user
        return answer

    def _client_data(self, kind: str, challenge: str) -> CollectedClientData:
        return CollectedClientData.create(type=kind, challenge=challenge, origin=self.origin)

    def _answer(self, response: dict[str, bytes]) -> dict[str, Any]:
        name = websafe_encode(self.id)
        encoded = {key: websafe_encode(bytes(value)) for key, value in response.items()}
        return {"id": name, "rawId": name, "type": "public-key", "response": encoded, "clientExtensionResults": {}}
