"""How exposed people are in a log: uniqueness, what gives people away, and people with several cases. Private."""

from .after import PeopleFound, RiskAfter, risk_after
from .assessment import Risk, assess_risk
from .persons import delta_for_persons, gain_of_person
from .uniqueness import DATED, FEW

__all__ = [
    "DATED",
    "FEW",
    "PeopleFound",
    "Risk",
    "RiskAfter",
    "assess_risk",
    "delta_for_persons",
    "gain_of_person",
    "risk_after",
]
