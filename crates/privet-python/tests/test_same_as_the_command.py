"""A frame's release is the command's, for every example and every method."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow.parquet
import pytest
from conftest import command, public_files, text_frame

import privet as pv

EXAMPLES = [
    "patients", "five-baskets", "five-vocabularies", "injector", "l-plus", "baskets", "ward", "clinic", "symptoms",
    "queries", "freeform", "census",
]

# An example, and what its policy asks for instead of its own requirements and method.
METHODS: dict[str, tuple[str, str]] = {
    "full-domain": ("patients", "[privacy]\nk-anonymity = { k = 2 }\nl-diversity = { column = 'Disease', l = 2 }"),
    "mondrian": ("patients", "[privacy]\nk-anonymity = { k = 2 }\nl-diversity = { column = 'Disease', l = 2 }"),
    "l-plus-optimize": ("patients", "[privacy]\nl-plus-diversity = { column = 'Disease', default = '2/3' }"),
    "simulated-annealing": ("patients", "[privacy]\nl-plus-diversity = { column = 'Disease', default = '2/3' }"),
    "injector": ("patients", "[privacy]\nmatching-l-diversity = { column = 'Disease', l = 2 }"),
    "anatomy": ("patients", "[privacy]\nl-diversity = { column = 'Disease', l = 2 }"),
    "codip": ("clinic", ""),
    "codip-star": ("clinic", ""),
    "ff": ("freeform", ""),
    "ff-optimal": ("freeform", ""),
    "quasi-sensitive": ("symptoms", ""),
    "og": ("five-baskets", ""),
    "mog": ("five-baskets", ""),
    "aa": ("five-baskets", "[privacy]\nkm-anonymity = { k = 2, m = 2 }"),
    "lg": ("five-baskets", "[privacy]\ntransactional-k-anonymity = { k = 2 }"),
    "mm": ("five-baskets", "[privacy]\nkm-anonymity = { k = 2, m = 2 }"),
    "ssg": ("five-vocabularies", ""),
    "lg-bag": ("five-vocabularies", ""),
}


def in_memory(home: Path, policy: dict[str, Any]) -> Any:
    """The data of an example as a frame or as lists."""
    data = policy["data"]
    path = home / data["path"]
    if data.get("kind") == "transactions" and data.get("form", "lines") == "lines":
        separator = data.get("delimiter", ",")
        return [line.split(separator) for line in path.read_text(encoding="utf-8").splitlines() if line]
    return text_frame(path)


def both(policy: Path, tmp_path: Path, data: Any = None) -> tuple[dict[str, bytes], dict[str, bytes]]:
    home = policy.parent
    run = command("anonymize", str(policy), "-o", str(tmp_path / "command"), "--seed", "11")
    assert run.returncode == 0, run.stderr
    held = in_memory(home, tomllib.loads(policy.read_text(encoding="utf-8"))) if data is None else data
    release = pv.anonymize(held, pv.Policy.read(policy), seed=11, attacks="none")
    assert release.audit.passed
    published = release.publish(tmp_path / "package")
    stated = json.loads((tmp_path / "command/steward/manifest.json").read_text(encoding="utf-8"))
    for key in ("plan", "records", "cost", "optimal", "loss"):
        assert published.manifest.get(key) == stated.get(key), key
    return public_files(tmp_path / "command"), public_files(tmp_path / "package")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example(name: str, examples: Any, tmp_path: Path) -> None:
    there, here = both(examples(name) / "policy.toml", tmp_path)
    assert there == here
    assert there


def test_every_example_is_tried() -> None:
    listed = json.loads(command("example", "--json").stdout)["examples"]
    assert {one["name"] for one in listed} == set(EXAMPLES)


@pytest.mark.parametrize("method", METHODS)
def test_every_method(method: str, examples: Any, tmp_path: Path) -> None:
    example, asked = METHODS[method]
    home = examples(example)
    text = (home / "policy.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    if asked:
        document["privacy"] = tomllib.loads(asked)["privacy"]
    keep = {"name": method} if document.get("method", {}).get("name") != method else document["method"]
    document["method"] = keep | ({"steps": 500} if method == "simulated-annealing" else {})
    written = home / f"{method}.toml"
    written.write_text(pv.Policy.from_dict(document).to_toml(), encoding="utf-8")
    there, here = both(written, tmp_path)
    assert there == here
    assert there


def test_every_method_is_tried() -> None:
    catalogue = json.loads(pv._privet.catalogue())
    known = {one["name"] for kind in catalogue.values() for one in kind["methods"]}
    assert known <= set(METHODS), known - set(METHODS)


def test_typed_columns_give_what_their_parquet_file_gives(examples: Any, tmp_path: Path) -> None:
    home = examples("census")
    frame = pandas.read_csv(home / "census.csv")
    polars.from_pandas(frame).write_parquet(home / "census.parquet")
    policy = pv.Policy.read(home / "policy.toml").set("data.path", "census.parquet")
    policy.write(home / "typed.toml")
    run = command("anonymize", str(home / "typed.toml"), "-o", str(tmp_path / "command"), "--seed", "5")
    assert run.returncode == 0, run.stderr
    for number, held in enumerate([frame, polars.from_pandas(frame), pyarrow.parquet.read_table(home / "census.parquet")]):
        release = pv.anonymize(held, policy, seed=5, attacks="none")
        release.publish(tmp_path / str(number), format="parquet")
        assert public_files(tmp_path / str(number)) == public_files(tmp_path / "command")


def test_a_path_gives_the_whole_directory(examples: Any, tmp_path: Path) -> None:
    policy = examples("patients") / "policy.toml"
    run = command("anonymize", str(policy), "-o", str(tmp_path / "command"), "--seed", "3")
    assert run.returncode == 0, run.stderr
    pv.anonymize(None, policy, seed=3).publish(tmp_path / "package")
    rooms = []
    for name in ("command", "package"):
        files = {}
        for path in sorted((tmp_path / name).rglob("*")):
            if path.is_file():
                files[str(path.relative_to(tmp_path / name))] = path.read_bytes()
        rooms.append(files)
    assert rooms[0].keys() == rooms[1].keys()
    timed = {"steward/manifest.json", "steward/report.html", "steward/report.json"}
    for name in rooms[0].keys() - timed:
        assert rooms[0][name] == rooms[1][name], name


def test_the_rows_in_memory_are_those_of_the_file(examples: Any, tmp_path: Path) -> None:
    home = examples("patients")
    release = pv.anonymize(text_frame(home / "patients.csv"), pv.Policy.read(home / "policy.toml"), seed=3)
    release.publish(tmp_path / "out")
    written = pandas.read_csv(tmp_path / "out/public/release.csv", dtype=str, keep_default_na=False)
    assert written.to_dict("list") == release.to_pandas().astype(str).to_dict("list")
    assert release.to_polars().to_dict(as_series=False) == release.to_arrow().to_pydict()
    assert polars.DataFrame(release).shape == (len(release), len(written.columns))


def test_sets_and_transactions_keep_their_form(examples: Any) -> None:
    home = examples("five-baskets")
    lists = in_memory(home, tomllib.loads((home / "policy.toml").read_text(encoding="utf-8")))
    release = pv.anonymize(lists, pv.Policy.read(home / "policy.toml"), seed=1)
    assert release.to_polars().schema["items"] == polars.List(polars.String)
    frame = polars.DataFrame({"basket": lists})
    from_frame = pv.anonymize(frame["basket"].to_list(), pv.Policy.read(home / "policy.toml"), seed=1)
    assert from_frame.to_arrow() == release.to_arrow()
    framed = pv.anonymize(frame, pv.Policy.read(home / "policy.toml"), seed=1)
    assert framed.to_arrow() == release.to_arrow()


@pytest.mark.parametrize("items", [[[1, 2], [1, 2], [3], None, []], [["1", "2"], ["1", "2"], ["3"], None, []]], ids=["numbers", "texts"])
def test_a_column_of_lists_is_transactions(items: list[Any]) -> None:
    policy = pv.Policy(None, pv.km_anonymity(k=1, m=1), "og", data={"kind": "transactions"}, seed=1)
    wanted = sorted([["1", "2"], ["1", "2"], ["3"], [], []])
    column = polars.Series("basket", items)
    for held in (column, column.to_frame(), pandas.Series(items), pyarrow.table({"basket": items})):
        assert sorted(pv.anonymize(held, policy).to_polars()["items"].to_list()) == wanted


@pytest.mark.parametrize("name", ["injector", "clinic", "five-vocabularies", "five-baskets"])
def test_released_frames_can_be_judged(name: str, examples: Any) -> None:
    """What a method publishes, as frames: one, or several by the names of their files."""
    home = examples(name)
    policy = pv.Policy.read(home / "policy.toml")
    held = in_memory(home, policy.to_dict())
    release = pv.anonymize(held, policy, seed=1, attacks="none")
    frames = {table: release.to_polars(table) for table in release.names}
    judged = frames if len(frames) > 1 else frames[release.names[0]]
    found = pv.audit(held, judged, policy)
    assert found.passed, str(found)
    if len(frames) > 1:
        kept = release.names[:1] if "qit.csv" in frames else release.names[1:]
        with pytest.raises(pv.InputError, match="there is no table"):
            pv.audit(held, {table: frames[table] for table in kept}, policy)
    assert len(pv.attack(held, judged, policy, attacks="cheap"))


def test_the_command_is_there() -> None:
    shown = command("--version")
    assert shown.returncode == 0
    assert pv.__version__ in shown.stdout
    wrong = command("anonymize", "none.toml", "-o", "out")
    assert wrong.returncode == 2
    assert "none.toml" in wrong.stderr
