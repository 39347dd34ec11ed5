#!/usr/bin/env python3
"""Books orders, and counts those of a day. It stays for many events: one a line in, one answer a line out."""
import json
import os
import sys

folder = os.environ["SHOP_FOLDER"]


def handle(event):
    data = event["data"]
    if "scheduledTime" in data:
        return 0, {"closed": data["scheduledTime"]}
    if data["record"]["cents"] < 0 and not os.path.exists(f"{folder}/refunds-allowed"):
        return 65, {"message": "An order cannot cost less than nothing."}
    with open(f"{folder}/booked", "a") as book:
        print(data["record"]["id"], file=book)
    return 0, {"booked": data["record"]["id"]}


for line in sys.stdin:
    event = json.loads(line)
    code, answer = handle(event)
    name = "result" if code == 0 else "error"
    print(json.dumps({"id": event["id"], "exit": code, name: answer}), flush=True)
