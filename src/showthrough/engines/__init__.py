"""Distributes work over processes of this machine or a Ray cluster, behind one interface."""
