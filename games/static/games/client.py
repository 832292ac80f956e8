"""Plays today's Forty Thieves as a new guest, and says where that leads. Standard library only."""

import json
import time
import urllib.request

API = "http://127.0.0.1:8000/api/v1/"


def call(method, path, body=None, token=""):
    headers = {"Authorization": f"Token {token}"} if token else {}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(API + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


token = call("POST", "players/guest/")["token"]
today = call("GET", "challenges/today/")["items"]
daily = next(item["id"] for item in today if item["mode"] == "ft-n")
attempt = call("POST", f"challenges/{daily}/attempts/", token=token)
log = "d " * len(attempt["deal"]["stock"])  # a better player looks at the deal
address = f"attempts/{attempt['id']}/submission/"
sent = call("PUT", address, {"log": log, "client": "example/1"}, token)["id"]
while (game := call("GET", f"submissions/{sent}/", token=token))["state"] == "pending":
    time.sleep(1)
print(game["state"], game["verdict"]["score"], "points, rank", game["best"]["rank"])
