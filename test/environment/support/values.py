"""What openstack-helm's values.py wrote for each environment of a JSON list; null where it failed or wrote no valid YAML."""
import json
import sys

import yaml


def split(text):
    data = yaml.load(text, Loader=yaml.UnsafeLoader)
    files = {}
    for key in data:
        if key in ('global', 'kk'):
            continue
        text = ''
        if 'global' in data:
            text += yaml.dump({'global': data['global']}, default_flow_style=False)
        text += yaml.dump(data[key], default_flow_style=False)
        yaml.load(text, Loader=yaml.UnsafeLoader)
        files[key] = text
    return files


def attempt(text):
    try:
        return split(text)
    except Exception:
        return None


json.dump([attempt(text) for text in json.load(sys.stdin)], sys.stdout)
