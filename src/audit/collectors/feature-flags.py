"""Prints the feature flags of RabbitMQ that are meant for production and not enabled, as JSON."""
import json
import subprocess
import sys

try:
    answer = subprocess.run(
        ('rabbitmqctl', '--quiet', '--formatter', 'json', 'list_feature_flags', 'name', 'state', 'stability'),
        check=True, capture_output=True, text=True, timeout=60).stdout
    flags = [each for each in json.loads(answer) if each['stability'] != 'experimental']
    json.dump({
        'enabled': len([each for each in flags if each['state'] == 'enabled']),
        'disabled': sorted(each['name'] for each in flags if each['state'] != 'enabled'),
    }, sys.stdout)
except (subprocess.SubprocessError, OSError) as error:
    sys.exit('%s: %s' % (error, (getattr(error, 'stderr', None) or '').strip()))
