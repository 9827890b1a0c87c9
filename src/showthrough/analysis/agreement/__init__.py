"""How far annotators agree, on what, and where they do not."""

from showthrough.analysis.agreement.study import agreement
from showthrough.analysis.agreement.values import Agreement

__all__ = ["Agreement", "agreement"]
