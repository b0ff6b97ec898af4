"""Prints, as JSON, what an image has that its service may call: programs with who brought them, rules of sudo, exec_dirs, modules."""
import glob
import importlib.util
import json
import os
import re

VENV = "/var/lib/kolla/venv/bin"


def packages():
    """The package of Debian by the name of each program."""
    owners = {}
    for path in glob.glob("/var/lib/dpkg/info/*.list"):
        package = os.path.basename(path).removesuffix(".list").split(":")[0]
        for line in open(path):
            directory, name = os.path.split(line.strip())
            if directory.endswith("bin"):
                owners[name] = package
    return owners


def programs():
    owners, found = packages(), {}
    for directory in os.environ["PATH"].split(":"):
        for name in os.listdir(directory):
            path = os.path.join(directory, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                there = os.path.basename(os.path.realpath(path))
                owner = "venv" if directory == VENV else owners.get(name) or owners.get(there) or directory
                found.setdefault(name, owner)
    return found


def lines(pattern, wanted):
    """The lines of files that are as wanted, by the file."""
    read = {path: re.findall(wanted, open(path).read(), re.MULTILINE) for path in glob.glob(pattern)}
    return {path: found for path, found in read.items() if found}


print(json.dumps({
    "programs": programs(),
    "rules": lines("/etc/sudoers.d/*", r"^[^#\n].*$"),
    "execDirs": lines("/etc/*/rootwrap.conf", r"^exec_dirs *= *(.*)$"),
    "modules": [name for name in ("ldap", "ldappool") if importlib.util.find_spec(name)],
}))
