"""Registers the provider as the chart's job does, and logs in as people do: by the command line and in a browser."""
import http.cookiejar
import os
import re
import urllib.parse

from keystone_api import URL, call, json, send, subprocess, urllib

HERE = os.path.dirname(__file__)
ISSUER = "http://127.0.0.1:5556/dex"
WEBSSO = "/auth/OS-FEDERATION/identity_providers/corp/protocols/openid/websso?origin="
DASHBOARD = "http://dashboard.example.org/auth/websso/"
PROVIDER = {"OS_IDENTITY_PROVIDER": "corp", "OS_PROTOCOL": "openid", "OS_AUTH_URL": URL, "OS_IDENTITY_API_VERSION": "3"}
SCOPE = {"OS_PROJECT_NAME": "research", "OS_PROJECT_DOMAIN_NAME": "corp"}
EMAIL, PASSWORD = "ada@example.org", "of-ada"


def register():
    env = {**json.load(open(HERE + "/job.json")), "OS_AUTH_URL": URL, "OS_PASSWORD": "s3cret", "PATH": os.environ["PATH"]}
    return subprocess.run(["python3", HERE + "/federation.py"], env=env, check=True, capture_output=True, text=True).stdout.split("\n")


def openstack(*words, **env):
    """The token that the command line gets, or its error."""
    command = ["openstack", *words, "token", "issue", "--format", "json"]
    ran = subprocess.run(command, env={"PATH": os.environ["PATH"], **PROVIDER, **env}, capture_output=True, text=True)
    if ran.returncode:
        return re.search(r"HTTP \d+", ran.stderr)[0] if "HTTP" in ran.stderr else ran.stderr
    return json.loads(ran.stdout)["id"]


def token_of(client):
    """A token of the provider for a client of its own."""
    fields = {"grant_type": "password", "username": EMAIL, "password": PASSWORD, "scope": "openid email profile"}
    fields.update(client_id=client, client_secret="of-" + client)
    with urllib.request.urlopen(ISSUER + "/token", urllib.parse.urlencode(fields).encode()) as answer:
        return json.load(answer)["access_token"]


def who(token):
    """The user, the domain and the project of a token of Keystone."""
    said = send("GET", "/auth/tokens", **{"X-Auth-Token": token, "X-Subject-Token": token})[1]["token"]
    return said["user"]["name"], said["user"]["domain"]["name"], said.get("project", {}).get("name")


def browse():
    """The token that a browser would send to the dashboard."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    # Apache sends only browsers to the provider.
    browser.addheaders = [("Accept", "text/html")]
    with browser.open(URL + WEBSSO + urllib.parse.quote(DASHBOARD)) as page:
        assert page.url.startswith(ISSUER), page.url
        form = page.url
    with browser.open(form, urllib.parse.urlencode({"login": EMAIL, "password": PASSWORD}).encode()) as page:
        text = page.read().decode()
    assert 'action="%s"' % DASHBOARD in text, text
    return re.search(r'name="token" value="([^"]+)"', text)[1]


def refusal(method, path, body=None, **headers):
    try:
        return send(method, path, body, **headers)
    except urllib.error.HTTPError as error:
        return error.code


print("registered:", register() == register() and [each["id"] for each in call("GET", "/OS-FEDERATION/identity_providers")["identity_providers"]])
client = {"OS_CLIENT_ID": "keystone", "OS_CLIENT_SECRET": "of-keystone", "OS_OPENID_SCOPE": "openid email profile", **SCOPE}
client["OS_DISCOVERY_ENDPOINT"] = ISSUER + "/.well-known/openid-configuration"
token = openstack("--os-auth-type", "v3oidcpassword", OS_USERNAME=EMAIL, OS_PASSWORD=PASSWORD, **client)
print("by name and password:", who(token))
print("by another password:", openstack("--os-auth-type", "v3oidcpassword", OS_USERNAME=EMAIL, OS_PASSWORD="of-bob", **client))
print("by a token:", who(openstack("--os-auth-type", "v3oidcaccesstoken", OS_ACCESS_TOKEN=token_of("keystone"), **SCOPE)))
print("by a token for another client:", openstack("--os-auth-type", "v3oidcaccesstoken", OS_ACCESS_TOKEN=token_of("other"), **SCOPE))
print("in a browser:", who(browse()))

claims = {"iss": ISSUER, "email": EMAIL, "name": "Ada", "sub": EMAIL}
headers = {prefix + claim: value for prefix in ("OIDC-", "Http-Oidc-") for claim, value in claims.items()}
body = {"auth": {"identity": {"methods": ["openid"], "openid": {"identity_provider": "corp", "protocol": "openid"}}}}
print("by headers:", refusal("POST", "/auth/tokens", body, **headers))
