"""Many ranks: what is kept of each, and reading them somewhere else."""

from nbprof.ranks.distributed_tables import DistributedTables
from nbprof.ranks.ranks import Ranks

__all__ = ["DistributedTables", "Ranks"]
