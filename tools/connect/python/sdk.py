"""Calls the Python SDK of Pipedream Connect. Each line of the input is a call, each line of the output its result.

The SDK takes everything from the environment: PIPEDREAM_BASE_URL and the credentials of a client.
"""

import json
import sys

from pipedream import Pipedream

client = Pipedream()


def plain(value):
    """A value of the SDK as JSON has it, with the names of the models' fields."""
    if hasattr(value, "iter_pages"):
        return {"data": [plain(item) for item in value], "page_info": {}}
    if hasattr(value, "__fields_set__") or hasattr(value, "model_fields_set"):
        return {name: plain(field) for name, field in vars(value).items() if field is not None}
    if isinstance(value, dict):
        return {name: plain(field) for name, field in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "__next__"):
        return b"".join(value).decode()
    return value


for line in sys.stdin:
    call = json.loads(line)
    resource, method = call["call"].split(".")
    try:
        answer = getattr(getattr(client, resource), method)(**call["args"])
        result = {"answer": plain(answer)}
    except Exception as error:  # pylint: disable=broad-except
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(result, default=str), flush=True)
