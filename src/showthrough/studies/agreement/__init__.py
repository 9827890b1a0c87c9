"""How far annotators agree, on what, and where they do not."""

from showthrough.studies.agreement._study import agreement
from showthrough.studies.agreement.values import Agreement

__all__ = ["Agreement", "agreement"]
