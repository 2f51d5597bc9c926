"""A judge compared with people: how far it agrees with them, and the rate corrected by what they found."""

from karat.stats.judged.agreement import JudgeAgreement, agreement, alpha
from karat.stats.judged.corrected import CorrectedRate, corrected_rate

__all__ = ["CorrectedRate", "JudgeAgreement", "agreement", "alpha", "corrected_rate"]
