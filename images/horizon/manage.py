#!/usr/bin/env python3
"""Django's commands for the dashboard; the package on PyPI does not bring them."""
import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "openstack_dashboard.settings")
execute_from_command_line(sys.argv)
