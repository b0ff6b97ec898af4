"""Starts Keystone's API by the command of its pod, and calls it as its administrator."""
import atexit
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request

URL = "http://127.0.0.1:5000/v3"
ADMIN = {"name": "admin", "password": "s3cret", "domain": {"id": "default"}}
PROJECT = {"project": {"name": "admin", "domain": {"id": "default"}}}
CONFIG = json.load(open("/var/lib/kolla/config_files/config.json"))
# As in a pod, where the image starts as this user.
OWNER = {"user": "keystone", "group": "keystone", "extra_groups": ["kolla"]}
running, tokens = [], {}


def stop():
    for process in running:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
    running.clear()


def restart():
    stop()
    running.append(subprocess.Popen(CONFIG["command"].split(), stdout=open("/tmp/api.log", "a"), stderr=subprocess.STDOUT, **OWNER))
    deadline = time.monotonic() + 600
    while True:
        try:
            return urllib.request.urlopen(URL, timeout=10).close()
        except OSError:
            if time.monotonic() > deadline or running[0].poll() is not None:
                raise
            time.sleep(0.2)


def send(method, path, body=None, **headers):
    """The headers and the JSON of a response."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, {"Content-Type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request, timeout=180) as answer:
        text = answer.read()
        return answer.headers, json.loads(text) if text else None


def log_in(user, scope):
    """A token with what it says."""
    identity = {"methods": ["password"], "password": {"user": user}}
    headers, body = send("POST", "/auth/tokens", {"auth": {"identity": identity, "scope": scope}})
    return headers["X-Subject-Token"], body["token"]


def call(method, path, body=None):
    if "admin" not in tokens:
        tokens["admin"] = log_in(ADMIN, PROJECT)[0]
    return send(method, path, body, **{"X-Auth-Token": tokens["admin"]})[1]


def report(*error):
    """An exception, below what the API has logged."""
    print(open("/tmp/api.log").read()[-8000:])
    sys.__excepthook__(*error)


sys.excepthook = report
atexit.register(stop)
restart()
