"""What `ompi_info` and a run print is read, and one that is missing or of another installation is noticed."""

from pathlib import Path

import pytest

from rankwise.core.errors import HostError
from rankwise.core.records import Implementation
from rankwise.mpi.openmpi.parameters import Parameter, installation, parse, shown
from support.bare_host import script
from support.ompi_info import lines


def test_values_choices_and_components_are_told() -> None:
    found = parse(
        [
            'mca:btl:tcp:version:"mca:2.1.0"',
            'mca:btl:tcp:version:"component:4.1.4"',
            "mca:btl:tcp:param:btl_tcp_links:value:1",
            "mca:btl:tcp:param:btl_tcp_links:source:default",
            "mca:btl:tcp:param:btl_tcp_links:help:value:7: of no matter",
            "mca:btl:tcp:param:btl_tcp_links:status:read-only",
            "mca:x:y:param:mode:status:writeable",
            "mca:x:y:param:mode:value:two",
            "mca:x:y:param:mode:enumerator:value:1:one",
            "mca:x:y:param:mode:enumerator:value:2:two",
            'mca:x:y:param:path:value:"/a:/b"',
        ]
    )
    assert found.version == "4.1.4"
    assert found.components == {"btl tcp"}
    assert found.parameters["btl_tcp_links"] == Parameter("1", help="value:7: of no matter")
    assert found.parameters["mode"] == Parameter("two", (("1", "one"), ("2", "two")), writable=True)
    assert found.value("path") == "/a:/b"
    assert found.number("btl_tcp_links") == 1
    assert found.number("mode", 5) == found.number("nowhere", 5) == 5


def test_values_in_force_are_read_from_what_a_run_prints() -> None:
    output = (
        "hello [a:1] not_this=1\n"
        "[node:12] btl_tcp_links=2 (file (/p/mca-params.conf:1))\n"
        "[node:12] btl= (default)\n"
        "[node:12] mca_base_param_files=/a (1),/b (environment)\n"
    )
    assert shown(output) == {"btl_tcp_links": "2", "btl": "", "mca_base_param_files": "/a (1),/b"}


def an(folder: Path, version: str = "5.0.7") -> Implementation:
    return Implementation("one", "openmpi", version, str(folder), str(folder / "mpicc"), "", "path")


def test_an_installation_is_asked_once(tmp_path: Path) -> None:
    (tmp_path / "answer").write_text("\n".join(lines()))
    script(tmp_path / "ompi_info", f"echo asked >>{tmp_path}/log; cat {tmp_path}/answer")
    assert installation(an(tmp_path)).value("btl_tcp_links") == "1"
    assert installation(an(tmp_path)).components >= {"pml ucx", "btl tcp"}
    assert (tmp_path / "log").read_text() == "asked\n"


def test_without_an_own_ompi_info_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="no ompi_info beside"):
        installation(an(tmp_path))
    (tmp_path / "answer").write_text("\n".join(lines()))
    script(tmp_path / "ompi_info", f"cat {tmp_path}/answer")
    with pytest.raises(HostError, match=r"of version 5\.0\.7, and .* of 4\.1\.4"):
        installation(an(tmp_path, "4.1.4"))
    script(tmp_path / "ompi_info", "exit 1")
    with pytest.raises(HostError, match="reports no version"):
        installation(an(tmp_path, "4.1.5"))
