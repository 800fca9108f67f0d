"""Many ranks: what is kept of each, and reading them somewhere else."""

from nbprof.ranks.ranks import Ranks
from nbprof.ranks.tables import RankTables

__all__ = ["RankTables", "Ranks"]
