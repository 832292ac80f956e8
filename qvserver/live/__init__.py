"""The live service: it tells clients at once what the web would only tell them when asked.

`reader` follows one Redis stream for the whole process and hands each entry to the `hub`, which hands it on to the
`streams` of those whom it concerns and wakes who waits for a verdict. `database` asks PostgreSQL, in threads of its
own; nobody who waits holds a connection. `calls` answers requests, `app` is the ASGI application.
"""
