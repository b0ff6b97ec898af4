"""Extracts from kolla's wheel what images need: unpack-kolla.py WHEEL OUT. Writes OUT/docker and OUT/users.sh."""
import pathlib
import sys
import zipfile

SHARED = "/data/share/kolla/docker/"

wheel, out = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
for name in wheel.namelist():
    if SHARED in name and not name.endswith("/"):
        file = out / "docker" / name.split(SHARED, 1)[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(wheel.read(name))
    elif name.endswith((".dist-info/METADATA", "/LICENSE")):
        (out / pathlib.PurePath(name).name).write_bytes(wheel.read(name))

facts = {}
exec(wheel.read("kolla/common/users.py"), facts)
lines = ["set -e"]
for key, user in sorted(facts["USERS"].items()):
    name = key.removesuffix("-user")
    group = user.get("group", name)
    lines.append("groupadd --gid %d %s" % (user["gid"], group))
    lines.append("useradd -l -M --shell /usr/sbin/nologin --uid %d --gid %d %s" % (user["uid"], user["gid"], name))
(out / "users.sh").write_text("\n".join(lines) + "\n")
