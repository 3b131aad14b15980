"""Plans, attacks, risks, drafts, comparisons, and what notebooks show."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from conftest import command, public_files, text_frame

import privet as pv

PEOPLE = pandas.DataFrame({
    "age": [34, 36, 34, 36, 61, 67, 61, 67] * 3,
    "city": ["Cork", "Cork", "Cork", "Cork", "Galway", "Galway", "Galway", "Galway"] * 3,
    "disease": ["flu", "cold", "flu", "asthma", "flu", "cold", "cold", "asthma"] * 3,
})
TREE = pv.Hierarchy.from_dict({"Cork": "Munster", "Galway": "Connacht"})
POLICY = pv.Policy(
    {"age": pv.quasi(pv.intervals(10)), "city": pv.quasi(TREE), "disease": pv.sensitive()},
    [pv.k_anonymity(4), pv.l_diversity(l=2, column="disease")],
    pv.full_domain(),
    seed=5,
)


def test_a_plan_is_saved_and_applied_to_others(tmp_path: Path) -> None:
    plan = pv.decide(PEOPLE, POLICY)
    plan.save(tmp_path / "plan.privet")
    loaded = pv.Plan.load(tmp_path / "plan.privet")
    assert loaded.to_dict() == plan.to_dict() and loaded.levels == plan.levels
    assert "seed" not in loaded.policy.to_dict()
    own = plan.apply()
    assert own.to_arrow() == pv.anonymize(PEOPLE, POLICY).to_arrow()
    later = loaded.apply(PEOPLE.head(13), seed=5)
    assert later.audit.passed and later.risk().k >= 4
    assert set(later.to_pandas()["city"]) <= set(own.to_pandas()["city"])


def test_a_plan_refuses_values_that_it_does_not_know() -> None:
    plan = pv.decide(PEOPLE, POLICY)
    strange = PEOPLE.assign(city=PEOPLE["city"].replace("Cork", "Dublin"))
    with pytest.raises(pv.InputError, match="Dublin"):
        plan.apply(strange)
    with pytest.raises(pv.InputError, match="no data of its own"):
        pv.Plan.from_bytes(plan.to_bytes()).apply()
    with pytest.raises(pv.InputError, match="not a saved plan"):
        pv.Plan.from_bytes(b"{}")


def test_a_policy_may_leave_out_what_a_plan_does_not_know() -> None:
    plan = pv.Plan.from_bytes(pv.decide(PEOPLE, POLICY).to_bytes())
    later = pandas.concat([PEOPLE, PEOPLE.head(2).assign(city="Dublin")])
    lenient = plan.policy.set("data.missing", ["", "Dublin"]).set("data.on_missing", "drop")
    release = plan.apply(later, policy=lenient, seed=5)
    assert len(release) == len(PEOPLE) and release.audit.records["dropped"] == 2


def test_what_has_a_policy_can_take_the_place_of_one(tmp_path: Path) -> None:
    frame = pandas.concat([PEOPLE] * 10, ignore_index=True)
    drafted = pv.draft(frame)
    release = pv.anonymize(frame, drafted, attacks="none")
    assert pv.audit(frame, release, drafted).passed
    drafted.policy.write(tmp_path / "policy.toml")
    assert pv.audit(frame, release.to_pandas(), tmp_path / "policy.toml").passed
    assert len(pv.compare(frame, [drafted, tmp_path / "policy.toml"])) == 2
    assert len(pv.attack(frame, release, str(tmp_path / "policy.toml"), attacks=["linking"])) == 1
    assert pv.decide(frame, drafted, time_limit="30s").rule


def test_a_plan_gives_what_the_command_gives(tmp_path: Path) -> None:
    policy = POLICY.bind(PEOPLE)
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    later = pandas.concat([PEOPLE, PEOPLE.head(4)])
    later.to_csv(tmp_path / "later.csv", index=False)
    policy.set("data.path", "people.csv").write(tmp_path / "policy.toml")
    made = command("anonymize", str(tmp_path / "policy.toml"), "-o", str(tmp_path / "first"))
    assert made.returncode == 0, made.stderr
    again = command("apply", str(tmp_path / "first"), str(tmp_path / "later.csv"), "-o", str(tmp_path / "second"))
    assert again.returncode == 0, again.stderr
    release = pv.decide(PEOPLE, policy).apply(later)
    release.publish(tmp_path / "package")
    assert public_files(tmp_path / "package") == public_files(tmp_path / "second")


def test_attacks_on_any_frame() -> None:
    found = pv.attack(PEOPLE, PEOPLE, POLICY, attacks=["linking"])
    assert len(found) == 1 and found["linking"].details
    assert "linking" in str(found) and found.to_frame()["attack"].tolist() == ["linking"]
    release = pv.anonymize(PEOPLE, POLICY, attacks="cheap")
    assert len(release.attacks) > 3


def test_risks() -> None:
    found = pv.risk(PEOPLE, ["age", "city"])
    assert found.k == 6 and found.records == 24 and found.classes == 4
    assert found.at_risk(0.1) == 1.0 and found.at_risk(0.2) == 0.0
    assert found.to_frame()["records"].tolist() == [24]
    assert pv.risk(polars.from_pandas(PEOPLE), ["age"]).k == 6
    missing = pandas.DataFrame({"age": [1, 1, None]})
    assert pv.risk(missing, ["age"]).uniques == 1
    assert pv.risk(missing, ["age"], on_missing="drop").records == 2
    with pytest.raises(pv.InputError, match="no column 'nope'"):
        pv.risk(PEOPLE, ["nope"])


def test_risks_by_a_policy() -> None:
    homes = PEOPLE.assign(home=[place // 3 for place in range(len(PEOPLE))], weight=10.5)
    columns = {"age": pv.quasi(), "city": pv.quasi(), "home": {"role": "household"}, "weight": {"role": "weight"}}
    policy = pv.Policy(columns, pv.k_anonymity(2), "mondrian")
    found = pv.risk(homes, policy, largest=1)
    assert found.sizes == pv.risk(PEOPLE, ["age", "city"]).sizes
    assert found.figures["records"] == 24 and found.figures["individual"]["population"] == 252
    assert 0 < found.figures["household"]["highest"] <= 1
    assert pv.risk(PEOPLE, ["age"]).figures == {}
    with pytest.raises(pv.InputError, match="needs a policy"):
        pv.risk(PEOPLE, ["age"], largest=2)
    with pytest.raises(pv.InputError, match="the data that it is about"):
        pv.risk(pv.anonymize(PEOPLE, POLICY), POLICY)
    with pytest.raises(pv.InputError, match="of one table"):
        pv.risk({"one": PEOPLE, "other": PEOPLE}, POLICY)


def test_drafts() -> None:
    frame = pandas.concat([PEOPLE] * 10, ignore_index=True).assign(mrn=range(240))
    drafted = pv.draft(frame)
    assert drafted.kind == "table" and drafted.records == 240
    assert {column["name"] for column in drafted.columns} == {"age", "city", "disease", "mrn"}
    assert pv.anonymize(frame, drafted.policy, attacks="none").audit.passed
    assert pv.Policy.parse(drafted.policy.to_toml()) == drafted.policy
    baskets = [["bread", "milk"], ["bread"], ["milk", "beer"], ["beer"]] * 20
    assert pv.draft(baskets).kind == "transactions"


def test_comparisons(examples: Any) -> None:
    found = pv.compare(PEOPLE, POLICY, vary={"privacy.k-anonymity.k": [2, 6, 100]})
    frame = found.to_frame()
    assert polars.DataFrame(found).columns == list(frame.columns)
    assert len(frame) == 3 and "no" in frame["note"].iloc[2].lower()
    assert found.plot().text.startswith("<svg") and found._repr_html_()
    home = examples("patients")
    shown = command("compare", str(home / "policy.toml"), "--json")
    assert shown.returncode == 0, shown.stderr
    here = pv.compare(text_frame(home / "patients.csv"), pv.Policy.read(home / "policy.toml"))
    drop = lambda line: {key: value for key, value in line.items() if key not in ("policy", "seconds", "cpu_seconds")}  # noqa: E731
    assert [drop(one) for one in here.details] == [drop(one) for one in json.loads(shown.stdout)["policies"]]


def test_what_a_notebook_shows() -> None:
    release = pv.anonymize(PEOPLE, POLICY)
    shown = release._repr_html_()
    assert "audit passed" in shown and shown.count("<svg") == 2
    assert "<html" in release.report().html.lower() and "srcdoc" in release.report("public")._repr_html_()
    assert release.manifest["records"]["released"] == len(release)
    assert "✓" in release.audit._repr_html_() and bool(release.audit)
    assert "Audit(passed" in repr(release.audit)
    assert release.plot_loss().text.startswith("<svg")
    with pytest.raises(pv.InputError):
        release.report("nobody's")


def test_several_tables_are_named(examples: Any) -> None:
    home = examples("injector")
    release = pv.anonymize(text_frame(home / "patients.csv"), pv.Policy.read(home / "policy.toml"), seed=1)
    if len(release.names) > 1:
        with pytest.raises(pv.InputError, match="name one of"):
            release.to_pandas()
    for name in release.names:
        assert len(release.to_pandas(name))
    assert release.assignment


def test_progress_is_shown() -> None:
    seen: list[str] = []
    frame = pandas.concat([PEOPLE] * 4000, ignore_index=True)
    pv.anonymize(frame, POLICY, progress=lambda stage, done, total, note: seen.append(stage))
    assert seen


SLOW = """
import sys, threading, time, _thread
import pandas, privet as pv
frame = pandas.DataFrame({f"c{i}": [(r * (i + 3) * 7919) % 97 for r in range(2000)] for i in range(5)})
policy = pv.Policy({name: pv.quasi(pv.intervals(3)) for name in frame.columns} | {"c0": pv.sensitive()},
                   pv.l_plus_diversity("c0", default="1/2"), pv.simulated_annealing(steps=10**12))
ticks = [0]
def tick():
    while True:
        ticks[0] += 1
        time.sleep(0.01)
def stop():
    global asked
    asked = time.monotonic()
    _thread.interrupt_main()
threading.Thread(target=tick, daemon=True).start()
threading.Timer(2.0, stop).start()
try:
    pv.decide(frame, policy)
except KeyboardInterrupt:
    print("stopped", time.monotonic() - asked, ticks[0])
    sys.exit(0)
print("done")
"""


def test_ctrl_c_within_a_second_and_other_threads_run() -> None:
    run = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    word, took, ticks = run.stdout.split()
    assert word == "stopped" and float(took) < 1.5, run.stdout
    assert int(ticks) > 20, "other threads run while the engine works"


def test_import_is_quick() -> None:
    code = "import time; began = time.process_time(); import privet; print(time.process_time() - began)"
    took = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
               for _ in range(3))
    assert took < 0.2, took
    heavy = "import sys, privet; print([name for name in ('pandas', 'polars', 'pyarrow', 'numpy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True).stdout == "[]\n"
