"""values.py FILE [--libyaml]: what openstack-helm's values.py did, a file per section with the global before it."""
import os
import sys
import tempfile

import yaml

c = '--libyaml' in sys.argv
loader, dumper = (yaml.CLoader, yaml.CDumper) if c else (yaml.Loader, yaml.Dumper)
with open(sys.argv[1]) as source:
    sections = yaml.load(source, Loader=loader)
common = {'global': sections.pop('global')}
del sections['kk']
directory = tempfile.mkdtemp(prefix='helm')
for name, section in sections.items():
    with open(os.path.join(directory, name + '.yaml'), 'w') as file:
        file.write(yaml.dump(common, Dumper=dumper, default_flow_style=False))
        file.write(yaml.dump(section, Dumper=dumper, default_flow_style=False))
