#!/bin/sh
# Keeps packages from starting services when they are installed.
exit 101
