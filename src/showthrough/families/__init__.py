"""The built-in families of metrics: each module declares one (`FAMILY`)."""
