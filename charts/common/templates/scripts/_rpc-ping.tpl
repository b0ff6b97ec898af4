{{- /* The probes of components with an RPC server (`rpc`). */ -}}
{{- define "common.scripts.rpc-ping.py" -}}
"""Asks the RPC servers of this pod for an answer: rpc-ping.py FILE QUEUE...

Exits with 0 if each answers, which takes its main loop. Otherwise, prints why not, and exits with 1; and if the message
bus itself works, leaves the file UNANSWERED, which the liveness probe checks: an outage of the bus restarts nothing.
FILE is the configuration of the service. `{group.option}` in QUEUE is an option in it, a queue for each value of a list.
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
    """The bus works, and the server does not answer."""


def option(name, default=""):
    """An option as oslo.config reads it: from the environment, or else from the file."""
    group, key = name.split(".")
    variable = "OS_%s__%s" % (group.upper(), key.upper())
    if variable in os.environ:
        return os.environ[variable]
    with open(sys.argv[1]) as file:
        section = re.search(r"^\[%s\]$(.*?)(?=^\[|\Z)" % group, file.read(), re.M | re.S)
    value = section and re.search(r"^%s *= *(.*)$" % key, section[1], re.M)
    return value[1].strip() if value else default


def queues(template):
    """The queues of a template; an option that is a list gives several."""
    place = re.search(r"\{(.*?)\}", template)
    if not place:
        return [template]
    values = option(place[1], socket.gethostname() if place[1] == "DEFAULT.host" else "").split(",")
    return [queue for value in values for queue in queues(template.replace(place[0], value.strip()))]


def connect():
    """A connection to the first member of the bus that accepts one."""
    members, vhost = re.match(r"[^:]+://([^/]*)/?([^?]*)", option("DEFAULT.transport_url")).groups()
    tls = False
    if option("oslo_messaging_rabbit.ssl").lower() == "true":
        names = {"ca_certs": "ssl_ca_file", "certfile": "ssl_cert_file", "keyfile": "ssl_key_file"}
        files = {key: option("oslo_messaging_rabbit." + name) for key, name in names.items()}
        tls = {key: file for key, file in files.items() if file}
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
    """Sends a ping for each consumer of a queue. Adds the identifiers of their replies to `waiting`."""
    channel = connection.channel()
    queue = pinged.lstrip("=")
    try:
        consumers = channel.queue_declare(queue, passive=True).consumer_count
    except amqp.NotFound:
        raise Unanswered("there is no queue %s" % queue) from None
    if not consumers:
        raise Unanswered("nothing consumes the queue %s" % queue)
    if pinged != queue:
        return
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
    waiting = {}
    published = False

    def late(*_):
        if published:
            raise Unanswered("no answer within %d s from %s" % (SECONDS, ", ".join(sorted(set(waiting.values())))))
        raise TimeoutError("the message bus does not accept a message within %d s" % SECONDS)

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    for name in stopped():
        raise Unanswered("a process is stopped: %s" % name)
    connection = connect()
    for template in sys.argv[2:]:
        for queue in queues(template):
            ping(connection, queue, waiting)
    published = True
    while waiting:
        connection.drain_events()
    connection.close()


try:
    check()
except Unanswered as error:
    open(UNANSWERED, "w").close()
    sys.exit(str(error))
except (OSError, amqp.AMQPError) as error:
    if os.path.exists(UNANSWERED):
        os.remove(UNANSWERED)
    sys.exit("message bus: %s" % error)
if os.path.exists(UNANSWERED):
    os.remove(UNANSWERED)
{{ end -}}
