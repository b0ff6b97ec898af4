{{- /* The probes of components with an RPC server (`rpc`). */ -}}
{{- define "common.scripts.rpc-ping.py" -}}
"""Asks the RPC servers of this pod for an answer: rpc-ping.py FILE QUEUE...

Exits with 0 if each answers, which takes its main loop. Otherwise, prints why not, and exits with 1; and if the message
bus itself works, leaves the file UNANSWERED, which the liveness probe checks: an outage of the bus restarts nothing. Nor
does one of several consumers of a queue that does not answer while others do: it may be that of another pod.
FILE is the configuration of the service. `{group.option}` in QUEUE is an option in it, a queue for each value of a list.
In `{DEFAULT.host}@{group.option}` each value is a backend, whose section may have another host (`backend_host`).
A server of notifications cannot answer: of `=QUEUE`, only the consumers are checked.
"""
import json
import os
import re
import signal
import socket
import sys
import uuid
from urllib.parse import unquote

import amqp

UNANSWERED = "/tmp/rpc-unanswered"
SECONDS = 8
# More workers than this share the pings.
MOST_PINGS = 8


class Unanswered(Exception):
    """The bus works, and a server does not answer; with `is_other`, it may be that of another pod."""

    def __init__(self, message, is_other=False):
        super().__init__(message)
        self.is_other = is_other


def option(name, default=""):
    """An option as oslo.config reads it: from the environment, or else from the file."""
    group, key = name.split(".")
    variable = "OS_%s__%s" % (group.upper(), key.upper())
    if variable in os.environ:
        return os.environ[variable]
    with open(sys.argv[1]) as file:
        section = re.search(r"^\[%s\]$(.*?)(?=^\[|\Z)" % re.escape(group), file.read(), re.M | re.S)
    value = section and re.search(r"^%s *= *(.*)$" % key, section[1], re.M)
    return value[1].strip() if value else default


def queues(template):
    """The queues of a template; an option that is a list gives several."""
    host = option("DEFAULT.host", socket.gethostname())
    backends = re.fullmatch(r"(.*)\{DEFAULT\.host\}@\{(.*)\}", template)
    if backends:
        names = [name.strip() for name in option(backends[2]).split(",")]
        return ["%s%s@%s" % (backends[1], option(name + ".backend_host", host), name) for name in names]
    place = re.search(r"\{(.*?)\}", template)
    if not place:
        return [template]
    values = option(place[1], host if place[1] == "DEFAULT.host" else "").split(",")
    return [queue for value in values for queue in queues(template.replace(place[0], value.strip()))]


def connect():
    """A connection to the first member of the bus that accepts one."""
    members, vhost = re.match(r"[^:]+://([^/]*)/?([^?]*)", option("DEFAULT.transport_url")).groups()
    tls = False
    if option("oslo_messaging_rabbit.ssl").lower() == "true":
        names = {"ca_certs": "ssl_ca_file", "certfile": "ssl_cert_file", "keyfile": "ssl_key_file"}
        files = {key: option("oslo_messaging_rabbit." + name) for key, name in names.items()}
        tls = {key: file for key, file in files.items() if file} or True
    error = None
    for member in members.split(","):
        login, _, address = member.rpartition("@")
        user, _, password = login.partition(":")
        connection = amqp.Connection(
            address, userid=unquote(user), password=unquote(password), virtual_host=unquote(vhost) or "/", ssl=tls,
            connect_timeout=SECONDS / 4, confirm_publish=True)
        try:
            connection.connect()
            return connection
        except (OSError, amqp.AMQPError) as failed:
            error = failed
    raise error


def ping(connection, pinged, waiting):
    """Sends a ping for each consumer of a queue. Adds the identifiers of their replies to `waiting`; returns how many."""
    channel = connection.channel()
    queue = pinged.lstrip("=")
    try:
        consumers = channel.queue_declare(queue, passive=True).consumer_count
    except amqp.NotFound:
        raise Unanswered("there is no queue %s" % queue) from None
    if not consumers:
        raise Unanswered("nothing consumes the queue %s" % queue)
    if pinged != queue:
        return 0
    reply_queue = channel.queue_declare(exclusive=True).queue

    def answered(message):
        waiting.pop(json.loads(json.loads(message.body)["oslo.message"])["_msg_id"], None)

    channel.basic_consume(reply_queue, no_ack=True, callback=answered)
    for _ in range(min(consumers, MOST_PINGS)):
        identifier = uuid.uuid4().hex
        call = {
            "method": "oslo_rpc_server_ping", "args": {}, "version": "1.0",
            "_msg_id": identifier, "_reply_q": reply_queue, "_unique_id": uuid.uuid4().hex, "_timeout": None}
        message = amqp.Message(
            json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(call)}),
            content_type="application/json", content_encoding="utf-8", expiration=str(SECONDS * 1000))
        waiting[identifier] = queue
        channel.basic_publish(message, routing_key=queue, mandatory=True)
    return min(consumers, MOST_PINGS)


def stopped():
    """The names of processes in this container that are stopped. One of several workers may be, while others answer."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % process) as file:
                name, state = re.match(r"\d+ \((.*)\) (\S)", file.read(), re.S).groups()
        except OSError:
            continue
        if state == "T":
            yield name


def check():
    waiting, sent = {}, {}
    published = False

    def late(*_):
        if published:
            silent = list(waiting.values())
            texts = ["%s (%d of %d)" % (queue, silent.count(queue), sent[queue]) for queue in sorted(set(silent))]
            is_other = all(silent.count(queue) < sent[queue] for queue in silent)
            raise Unanswered("no answer within %d s from %s" % (SECONDS, ", ".join(texts)), is_other)
        raise TimeoutError("the message bus does not accept a message within %d s" % SECONDS)

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    for name in stopped():
        raise Unanswered("a process is stopped: %s" % name)
    connection = connect()
    for template in sys.argv[2:]:
        for queue in queues(template):
            sent[queue] = ping(connection, queue, waiting)
    published = True
    while waiting:
        connection.drain_events()
    connection.close()


problem = is_hung = None
try:
    check()
except Unanswered as error:
    problem, is_hung = str(error), not error.is_other
except (OSError, amqp.AMQPError) as error:
    problem = "message bus: %s" % error
if is_hung:
    open(UNANSWERED, "w").close()
elif os.path.exists(UNANSWERED):
    os.remove(UNANSWERED)
sys.exit(problem)
{{ end -}}
