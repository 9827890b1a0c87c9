"""The built-in families of metrics: each is a package whose module `family` declares it (`FAMILY`)."""

# In the order in which lists show them and their metrics.
BUILT_IN = (
    "masking", "information", "reidentification", "inference", "reconstruction", "unannotated", "authorship",
    "clinical", "policies", "tae",
)  # fmt: skip
