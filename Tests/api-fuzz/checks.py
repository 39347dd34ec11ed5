"""What Schemathesis does not check: that a caller sees and changes nothing of somebody else's.

`psql`, of whose session the URL is in DATABASE_URL, reads all tables of the apps after each request. The runner that is
called has no functions but those of the routes, so that nothing else writes to them.
"""

import json
import os
import subprocess

import schemathesis

with open("openapi.json") as file:
    DOCUMENT = json.load(file)

BEN = "a0000000-0000-4000-8000-000000000002"
# What is in Ben's rows and in nobody else's, in lower case; people.sql has written it.
SECRETS = ["marker-ben", "bbbbbbbb-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"]

TABLES = """
SELECT string_agg(format('SELECT %L AS name, count(*) AS rows, sum(hashtext(t.xmin::text || t::text)) AS content, %s AS bens
    FROM %I.%I AS t', table_name, CASE WHEN is_owned
      THEN 'sum(hashtext(t.xmin::text || t::text)) FILTER (WHERE t.user_id = %%1$L)' ELSE '0' END, table_schema, table_name),
  ' UNION ALL ')
FROM (
  SELECT table_schema, table_name, bool_or(column_name = 'user_id' AND data_type = 'uuid') AS is_owned
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' GROUP BY table_schema, table_name
) AS tables
"""


class Tables:
    """The content of the apps' tables, as hashes."""

    def __init__(self):
        command = [os.environ["PSQL"], os.environ["DATABASE_URL"], "-XqAt", "-v", "ON_ERROR_STOP=1"]
        self.session = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        tables = self.line(TABLES.replace("\n", " ").replace("%%1$L", f"''{BEN}''"))
        self.query = (
            "SELECT json_build_array(string_agg(concat_ws(' ', name, rows, content), ',' ORDER BY name), "
            f"string_agg(concat_ws(' ', name, bens), ',' ORDER BY name)) FROM ({tables}) AS t"
        )
        self.before = self.now()

    def line(self, query):
        """The answer to a query whose answer is a single line."""
        self.session.stdin.write(query + ";\n")
        answer = self.session.stdout.readline().rstrip("\n")
        if not answer:
            raise RuntimeError("PostgreSQL does not answer; psql says why on stderr.")
        return answer

    def now(self):
        return json.loads(self.line(self.query))


tables = Tables()


def text(body):
    return body.decode(errors="replace") if isinstance(body, bytes) else str(body or "")


@schemathesis.check
def nothing_of_somebody_elses_is_shown(ctx, response, case):
    """Neither a header nor the body has what is only in Ben's rows, unless the request has said it."""
    said = (text(response.request.body) + text(response.request.url)).lower()
    shown = (response.text + str(response.headers)).lower()
    for secret in SECRETS:
        assert secret in said or secret not in shown, f"{secret} is shown"


@schemathesis.check
def nothing_of_somebody_elses_is_changed(ctx, response, case):
    """Ben's rows stay as they are, and so do all where the answer is a refusal."""
    (everything, bens), now = tables.before, tables.now()
    tables.before = now
    assert now[1] == bens, "Ben's rows have changed"
    assert response.status_code < 400 or now[0] == everything, f"answered {response.status_code}, but rows have changed"


@schemathesis.check
def a_refusal_names_what_was_wrong(ctx, response, case):
    """Where one field is wrong, the reason of a 400 names a field or a parameter of the operation."""
    if response.status_code != 400 or case.meta is None or not case.meta.generation.mode.is_negative:
        return
    parameter = getattr(case.meta.phase.data, "parameter", None)
    if parameter is None:
        return
    # Where the body as a whole is wrong, the parameter is its media type.
    names = {"body" if "/" in parameter else parameter, *names_in(DOCUMENT["paths"][case.operation.path][case.method.lower()])}
    reason = json.loads(response.text).get("reason", "")
    assert any(name in reason for name in names), f"{parameter} was wrong, but the reason is: {reason}"


def names_in(part):
    """The names of an operation's parameters, and those of its body's members."""
    if isinstance(part, list):
        for inner in part:
            yield from names_in(inner)
    elif isinstance(part, dict):
        if "$ref" in part:
            target = DOCUMENT
            for name in part["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            yield from names_in(target)
        if "in" in part:
            yield part["name"]
        for name, inner in part.get("properties", {}).items():
            yield name
            yield from names_in(inner)
        for name in ("parameters", "requestBody", "content", "application/json", "schema", "allOf", "oneOf", "anyOf"):
            yield from names_in(part.get(name))
