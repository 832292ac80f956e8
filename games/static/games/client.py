"""Plays today's Forty Thieves as a new guest, and says where that leads. Standard library only."""

import json
import time
import urllib.request

API = "http://127.0.0.1:8000/api/v1/"


def call(method, path, body=None, token=""):
    headers = {"Content-Type": "application/json", **({"Authorization": f"Token {token}"} if token else {})}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(API + path, data, headers, method=method)) as answer:
        return json.load(answer)


token = call("POST", "players/guest/")["token"]
daily = next(item for item in call("GET", "challenges/today/")["items"] if item["mode"] == "ft-n")
attempt = call("POST", f"challenges/{daily['id']}/attempts/", token=token)
log = "d " * len(attempt["deal"]["stock"])  # a better player looks at the deal: this one only draws
sent = call("PUT", f"attempts/{attempt['id']}/submission/", {"log": log, "client": "example/1"}, token)
while (game := call("GET", f"submissions/{sent['id']}/", token=token))["state"] == "pending":
    time.sleep(1)
print(game["state"], "score", game["verdict"]["score"], "rank", game["best"]["rank"], "of", game["best"]["total"])
