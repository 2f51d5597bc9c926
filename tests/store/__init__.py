"""Tests of the store. A package, so that its files may be named as in other rooms."""
