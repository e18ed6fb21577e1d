"""The output of an `ompi_info` that does not exist, with few enough parameters to check by hand."""

from rankwise.mpi.openmpi.parameters import Installation, parse

_ALGORITHMS = {
    "allgather": ("linear", "bruck", "ring", "two_proc"),
    "allreduce": ("basic_linear", "segmented_ring"),
    "alltoall": ("linear", "pairwise"),
    "barrier": ("linear", "tree"),
    "bcast": ("basic_linear", "chain", "pipeline"),
    "reduce_scatter": ("non-overlapping", "ring", "butterfly"),
    "scatter": ("basic_linear", "binomial"),
}
_NONBLOCKING = {"ibcast": ("linear", "chain"), "ireduce": ("chain", "binomial")}
_PARAMETERS = {
    "btl_tcp_eager_limit": "65536",
    "btl_tcp_sndbuf": "0",
    "btl_tcp_rcvbuf": "0",
    "btl_tcp_links": "1",
    "btl_sm_eager_limit": "4096",
    "btl_sm_segment_size": "4194304",
    "btl_sm_free_list_num": "8",
    "coll_adapt_priority": "0",
    "coll_han_priority": "35",
    "coll_tuned_priority": "30",
    "coll_tuned_bcast_algorithm_chain_fanout": "4",
    "coll_tuned_bcast_algorithm_segmentsize": "0",
    "coll_tuned_use_dynamic_rules": "false",
    "mca_base_param_files": "/home/one/.openmpi/mca-params.conf,/etc/openmpi-mca-params.conf",
}


def lines(*without: str) -> list[str]:
    """Return lines as `ompi_info --parsable` prints them, without these parameters and components."""
    found = [f"mca:x:y:param:{name}:value:{value}" for name, value in _PARAMETERS.items()]
    found.append("mca:mpi:base:param:mpi_yield_when_idle:value:false")
    for operation, names in _ALGORITHMS.items():
        name = f"mca:coll:tuned:param:coll_tuned_{operation}_algorithm"
        found.append(f"{name}:value:ignore")
        found += [f"{name}:enumerator:value:{n}:{choice}" for n, choice in enumerate(("ignore", *names))]
    for operation, names in _NONBLOCKING.items():
        name = f"mca:coll:libnbc:param:coll_libnbc_{operation}_algorithm"
        found += [f"{name}:value:ignore", f"{name}:status:writeable"]
        found += [f"{name}:enumerator:value:{n}:{choice}" for n, choice in enumerate(("ignore", *names))]
    writable = [name for name in _PARAMETERS if name.startswith("coll_")]
    writable += [f"coll_tuned_{operation}_algorithm" for operation in _ALGORITHMS if operation != "alltoall"]
    found += [f"mca:x:y:param:{name}:status:writeable" for name in writable]
    found.append("mca:x:y:param:btl_tcp_links:status:read-only")
    for operation in ("bcast", "allgather"):
        name = f"mca:coll:han:param:coll_han_{operation}_dynamic_global_communicator_module"
        found += [f"{name}:value:6", f"{name}:status:writeable"]
        found.append(f"{name}:help:Module on level global_communicator: 0 = self; 3 = tuned; 6 = han; ")
    for component in ("btl:tcp", "btl:sm", "pml:ob1", "pml:ucx"):
        found += [f'mca:{component}:version:"mca:2.1.0"', f'mca:{component}:version:"component:5.0.7"']
    return [line for line in found if not any(f":{one}:" in line for one in without)]


def example(*without: str) -> Installation:
    """Return the installation that these lines describe."""
    return parse(lines(*without))
