"""What a run tells about the risks of a release: singling out, linkability, inference, identifiers."""

from showthrough.analysis.risk.annex import risk_annex
from showthrough.analysis.risk.values import RiskAnnex

__all__ = ["RiskAnnex", "risk_annex"]
