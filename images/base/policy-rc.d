#!/bin/sh
# Installing a package starts nothing in an image.
exit 101
