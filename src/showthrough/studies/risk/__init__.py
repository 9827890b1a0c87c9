"""What a run tells about the risks of a release: singling out, linkability, inference, identifiers."""

from showthrough.studies.risk._annex import for_owner, risk_annex
from showthrough.studies.risk.values import RiskAnnex

__all__ = ["RiskAnnex", "for_owner", "risk_annex"]
