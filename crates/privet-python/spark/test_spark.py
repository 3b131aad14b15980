"""Releases with Spark, on executors that are processes of their own. `../test-spark` installs what is needed and runs this."""

from __future__ import annotations

import csv
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import privet
import privet.spark
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

SEED = 918273645546372819
ROWS = int(os.environ.get("PRIVET_SPARK_TEST_ROWS", "6000"))


def people(rows: int = ROWS, seed: int = 1) -> pa.Table:
    """People with a name that must not be seen anywhere, numbers that engines compare in their own way, and missing values."""
    draw = random.Random(seed)
    return pa.table({
        "name": [f"Hidden-Name-{row}" for row in range(rows)],
        "age": [30 + 7 * draw.randrange(5) for _ in range(rows)],
        "city": [draw.choice(["Cork", "cork", "Galway", "Dublin", None]) for _ in range(rows)],
        "weight": [draw.choice([0.0, -0.0, 60.5, 71.25, 83.0, None]) for _ in range(rows)],
        "note": [draw.choice([None, "a", "b", f"note {row}"]) for row in range(rows)],
        "disease": [draw.choice(["flu", "asthma", "cancer", "gout", "angina"]) for _ in range(rows)],
    })


def policy(method: str, privacy: str = "[privacy.k-anonymity]\nk = 5", missing: str = "value") -> privet.Policy:
    return privet.Policy.parse(f"""
seed = {SEED}
[data]
missing = [""]
on_missing = "{missing}"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
[columns.city]
role = "quasi-identifier"
[columns.weight]
role = "quasi-identifier"
[columns.note]
role = "other"
[columns.disease]
role = "sensitive"
{privacy}
[method]
{method}
""")


DIVERSE = '[privacy.k-anonymity]\nk = 4\n[privacy.l-diversity]\ncolumn = "disease"\nl = 2'
SURE = '[privacy.l-plus-diversity]\ncolumn = "disease"\ndefault = "1/3"'
METHODS = {
    "mondrian": policy('name = "mondrian"'),
    "full-domain": policy('name = "full-domain"\nsuppression_limit = "10%"', DIVERSE),
    # Records part ways.
    "vio-rec": policy('name = "l-plus-optimize"\nsuppression = "vio-rec"', SURE, "drop"),
    # Cells are starred.
    "vio-sa": policy('name = "l-plus-optimize"\nsuppression = "vio-sa"', SURE),
}


# Those whose release follows from the counts.
SEVERAL = """
seed = {seed}
[columns.age]
role = "quasi-identifier"
[columns.city]
role = "quasi-identifier"
[columns.weight]
role = "{weight}"
[columns.disease]
role = "sensitive"
{privacy}
[method]
{method}
"""
COUNTED = {
    "anatomy": ("quasi-identifier", "[privacy.l-diversity]\ncolumn = 'disease'\nl = 3", "name = 'anatomy'"),
    "injector": ("quasi-identifier", "[privacy.matching-l-diversity]\ncolumn = 'disease'\nl = 3", "name = 'injector'\npublish = 'permuted'"),
    "codip-star": ("sensitive", "[privacy]\nk-anonymity = { k = 5 }\nprojection = { alpha = 1, beta = 0.9 }", "name = 'codip-star'"),
    "full-domain, nothing carried": ("quasi-identifier", "[privacy.k-anonymity]\nk = 5", "name = 'full-domain'\nsuppression_limit = '10%'"),
}
BASKETS = f"""
seed = {SEED}
[data]
kind = "transactions"
form = "long"
id = "basket"
item = "product"
[privacy.km-anonymity]
k = 5
m = 2
[method]
name = "METHOD"
"""


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("events")


def session(logs: Path, local: Path) -> SparkSession:
    settings = {
        "spark.master": os.environ.get("PRIVET_SPARK_MASTER", "local-cluster[2,1,1024]"),
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{logs}",
        "spark.local.dir": str(local),
        "spark.sql.shuffle.partitions": "4",
        "spark.task.maxFailures": "8",
        "spark.speculation": "true",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path[1:]),
        "spark.pyspark.python": sys.executable,
    }
    builder = SparkSession.builder.appName("privet")
    for key, value in settings.items():
        builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


@pytest.fixture(scope="session")
def spark(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    local = tmp_path_factory.mktemp("local")
    made = session(logs, local)
    made.local = local
    yield made
    made.stop()


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "people.parquet"
    pq.write_table(people(), path, row_group_size=500)
    return path


def anonymize(*positional: Any, **named: Any) -> privet.spark.Release:
    """Without reports, which most tests do not look at."""
    return privet.spark.anonymize(*positional, **{"report_rows": 0, **named})


def files_of(release: str | Path) -> list[list[dict[str, Any]]]:
    return [pq.read_table(path).to_pylist() for path in sorted(glob.glob(f"{release}/public/release/*.parquet"))]


def released(release: str | Path) -> Counter[tuple[str, ...]]:
    return Counter(tuple(row.values()) for file in files_of(release) for row in file)


def command(folder: Path, *more: str) -> None:
    """Runs the command on the policy of a folder."""
    made = subprocess.run(
        [sys.executable, "-m", "privet", "anonymize", str(folder / "policy.toml"), "-o", str(folder / "one"), "--attacks", "none", *more],
        capture_output=True, text=True,
    )
    assert made.returncode == 0, made.stderr


def lines_of(path: Path) -> Counter[tuple[str, ...]]:
    with open(path, newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        next(lines)
        return Counter(tuple(line) for line in lines)


def on_one_machine(policy: privet.Policy, data: Path, folder: Path) -> Counter[tuple[str, ...]]:
    """What the command releases of the same file, as text."""
    (folder / "policy.toml").write_text(policy.to_toml().replace("[data]", f'[data]\npath = "{data}"'))
    command(folder, "--format", "csv")
    return lines_of(folder / "one/public/release.csv")


@pytest.mark.parametrize("method", METHODS)
def test_it_is_the_release_of_one_machine(spark: Any, data: Path, tmp_path: Path, method: str) -> None:
    expected = on_one_machine(METHODS[method], data, tmp_path)
    first = None
    for number, frame in enumerate([
        spark.read.parquet(str(data)),
        spark.read.parquet(str(data)).repartition(1),
        spark.read.parquet(str(data)).orderBy("disease", "name").repartition(23),
    ]):
        target = tmp_path / f"release-{number}"
        release = anonymize(frame, METHODS[method], target, files=3)
        assert release.manifest["audit"]["passed"]
        assert released(target) == expected
        assert not (tmp_path / f"release-{number}.privet-staging").exists()
        # Every file has the same rows in the same order.
        first = first or files_of(target)
        assert files_of(target) == first


@pytest.mark.parametrize("case", COUNTED)
def test_what_follows_from_counts_is_the_release_of_one_machine(spark: Any, data: Path, tmp_path: Path, case: str) -> None:
    weight, privacy, method = COUNTED[case]
    text = SEVERAL.format(seed=SEED, weight=weight, privacy=privacy, method=method)
    chosen = privet.Policy.parse(text + "[data]\nmissing = ['']\non_missing = 'value'\n")
    # Every column of the file that the policy does not name stays unpublished; the digest of the data has them all.
    (tmp_path / "policy.toml").write_text(chosen.to_toml().replace("[data]", f'[data]\npath = "{data}"'))
    command(tmp_path, "--format", "csv") if case.startswith("full") else command(tmp_path)
    for number, frame in enumerate([spark.read.parquet(str(data)), spark.read.parquet(str(data)).orderBy("disease").repartition(7)]):
        target = tmp_path / f"release-{number}"
        release = anonymize(frame, chosen, target, files=2)
        assert release.manifest["audit"]["passed"]
        tables = sorted(path.name for path in (target / "public").iterdir() if path.is_dir())
        assert tables == sorted(path.stem for path in (tmp_path / "one/public").glob("*.csv"))
        for table in tables:
            written = [pq.read_table(path).to_pylist() for path in sorted((target / "public" / table).glob("*.parquet"))]
            assert Counter(tuple(row.values()) for rows in written for row in rows) == lines_of(tmp_path / f"one/public/{table}.csv")


@pytest.mark.parametrize("method", ["og", "aa"])
def test_transactions_are_released_as_on_one_machine(spark: Any, tmp_path: Path, method: str) -> None:
    draw = random.Random(3)
    pairs = [(f"b{basket}", f"product {min(draw.randrange(9), draw.randrange(9))}") for basket in range(800) for _ in range(draw.randrange(1, 4))]
    pairs += [("empty", ""), ("b0", pairs[0][1])]
    draw.shuffle(pairs)
    pq.write_table(pa.table({"basket": [basket for basket, _ in pairs], "product": [item for _, item in pairs]}), tmp_path / "pairs.parquet")
    chosen = privet.Policy.parse(BASKETS.replace("METHOD", method))
    (tmp_path / "policy.toml").write_text(chosen.to_toml().replace("[data]", f'[data]\npath = "{tmp_path}/pairs.parquet"'))
    command(tmp_path)
    with open(tmp_path / "one/public/release.txt", encoding="utf-8") as file:
        expected = Counter(tuple(line.rstrip("\n").split(",")) if line.strip() else () for line in file)
    for number, frame in enumerate([spark.read.parquet(str(tmp_path / "pairs.parquet")), spark.read.parquet(str(tmp_path / "pairs.parquet")).repartition(9)]):
        anonymize(frame, chosen, tmp_path / f"release-{number}", files=2)
        assert Counter(tuple(row["items"]) for rows in files_of(tmp_path / f"release-{number}") for row in rows) == expected


def test_reports_and_attacks_are_made(spark: Any, data: Path, tmp_path: Path) -> None:
    release = privet.spark.anonymize(spark.read.parquet(str(data)), METHODS["mondrian"], tmp_path / "release")
    assert any(found["name"] == "linking" for found in release.manifest["attacks"])
    for room in ["public", "steward"]:
        page = (tmp_path / "release" / room / "report.html").read_text(encoding="utf-8")
        assert "k-anonymity" in page and "Hidden-Name-" not in page and ">note<" not in page, room
    release = anonymize(spark.read.parquet(str(data)), METHODS["mondrian"], tmp_path / "without", report_rows=10)
    assert release.manifest["attacks"] is None
    assert not (tmp_path / "without/public/report.html").exists()


class Killer:
    """Does harm once, shortly after a step has begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: str, harm: Any, delay: float = 0.7) -> None:
        self.done: list[Any] = []
        plain = privet.spark._step

        def watched(name: str, seconds: dict[str, float]) -> Any:
            if name == step:
                threading.Timer(delay, lambda: self.done.append(harm())).start()
            return plain(name, seconds)

        monkeypatch.setattr(privet.spark, "_step", watched)


def executors(spark: Any) -> list[int]:
    """The executors of this session: they are started with its driver's address."""
    driver = f"@127.0.0.1:{spark.sparkContext.getConf().get('spark.driver.port')}"
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            words = Path(folder, "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        # The shell that starts one has the same words.
        if words[0].endswith("java") and any("CoarseGrainedExecutorBackend" in word for word in words):
            if any(word.endswith(driver) for word in words):
                found.append(int(folder.rsplit("/", 1)[1]))
    return found


def kill_an_executor(spark: Any) -> int:
    pid = executors(spark)[0]
    os.kill(pid, signal.SIGKILL)
    return pid


def slow(spark: Any, data: Path) -> Any:
    """The people, so slowly that there is time for harm."""
    frame = spark.read.parquet(str(data)).repartition(6)

    def wait(batches: Any) -> Any:
        for batch in batches:
            time.sleep(0.6)
            yield batch

    return frame.mapInArrow(wait, frame.schema)


@pytest.mark.parametrize("step", ["count", "write", "audit"])
def test_an_executor_that_is_killed_changes_nothing(
    spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    chosen = METHODS["vio-rec"]
    anonymize(spark.read.parquet(str(data)), chosen, tmp_path / "calm", files=3)
    killer = Killer(monkeypatch, step, lambda: kill_an_executor(spark), 0.1 if step == "audit" else 0.7)
    anonymize(slow(spark, data), chosen, tmp_path / "harmed", files=3)
    assert killer.done, "nothing was killed"
    assert files_of(tmp_path / "harmed") == files_of(tmp_path / "calm")


def test_a_worker_without_memory_changes_nothing(spark: Any, data: Path, tmp_path: Path) -> None:
    chosen = METHODS["vio-rec"]
    anonymize(spark.read.parquet(str(data)), chosen, tmp_path / "calm", files=3)
    frame = spark.read.parquet(str(data)).repartition(3)

    def hungry(batches: Any) -> Any:
        import resource

        from pyspark import TaskContext

        # In both passes: first the system refuses memory, then it kills the process, as it does when it has none left.
        attempt = TaskContext.get().attemptNumber()
        if TaskContext.get().partitionId() == 1 and attempt == 0:
            limits = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (1 << 20, limits[1]))
            try:
                bytearray(1 << 30)
            finally:
                resource.setrlimit(resource.RLIMIT_AS, limits)
        if TaskContext.get().partitionId() == 1 and attempt == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    anonymize(frame.mapInArrow(hungry, frame.schema), chosen, tmp_path / "harmed", files=3)
    assert files_of(tmp_path / "harmed") == files_of(tmp_path / "calm")


def test_a_shuffle_file_that_is_lost_changes_nothing(
    spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = METHODS["mondrian"]
    anonymize(spark.read.parquet(str(data)), chosen, tmp_path / "calm", files=3)

    def lose() -> int:
        lost = 0
        until = time.monotonic() + 20
        while not lost and time.monotonic() < until:
            for path in glob.glob(f"{spark.local}/**/shuffle_*.data", recursive=True):
                os.remove(path)
                lost += 1
            time.sleep(0.05)
        return lost

    killer = Killer(monkeypatch, "write", lose, 0)
    anonymize(slow(spark, data), chosen, tmp_path / "harmed", files=3)
    assert killer.done and killer.done[0], "nothing was lost"
    assert files_of(tmp_path / "harmed") == files_of(tmp_path / "calm")


def test_a_table_that_changes_in_between_is_refused(
    spark: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "people.parquet"
    for other, names in [(people(seed=2), "other rows"), (people(ROWS // 2), "fewer rows"), (None, "the same rows twice")]:
        shutil.copy(data, own)
        changed = other if other is not None else pa.concat_tables([people(), people()])

        def change(changed: pa.Table = changed) -> bool:
            pq.write_table(changed, own, row_group_size=500)
            return True

        with monkeypatch.context() as patch:
            plain = privet.spark._step

            def stepped(name: str, seconds: dict[str, float], plain: Any = plain, change: Any = change) -> Any:
                if name == "decide":
                    change()
                return plain(name, seconds)

            patch.setattr(privet.spark, "_step", stepped)
            with pytest.raises(Exception) as caught:
                anonymize(spark.read.parquet(str(own)), METHODS["mondrian"], tmp_path / "release")
        assert not (tmp_path / "release").exists(), names
        assert not (tmp_path / "release.privet-staging").exists(), f"{names}: {caught.value}"


def test_a_driver_that_is_killed_leaves_no_release(spark: Any, data: Path, tmp_path: Path, logs: Path) -> None:
    program = f"""
import sys, time, pathlib
sys.path.insert(0, {str(Path(__file__).parent)!r})
import privet.spark, test_spark
spark = test_spark.session(pathlib.Path({str(logs)!r}), pathlib.Path({str(tmp_path / "local")!r}))
plain = privet.spark._step
def stepped(name, seconds):
    print(name, flush=True)
    return plain(name, seconds)
privet.spark._step = stepped
privet.spark.anonymize(test_spark.slow(spark, pathlib.Path({str(data)!r})), test_spark.METHODS["mondrian"], {str(tmp_path / "release")!r})
"""
    environment = {**os.environ, "PRIVET_SPARK_MASTER": "local[1]"}
    driver = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True)
    assert driver.stdout is not None
    for line in driver.stdout:
        if line.strip() == "write":
            break
    staging = tmp_path / "release.privet-staging"
    until = time.monotonic() + 60
    while not staging.exists() and time.monotonic() < until:
        time.sleep(0.1)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert not (tmp_path / "release").exists()
    assert staging.exists(), "it was killed too early"
    anonymize(spark.read.parquet(str(data)), METHODS["mondrian"], tmp_path / "release")
    assert (tmp_path / "release/public/manifest.json").exists() and not staging.exists()


def test_what_is_there_is_not_replaced(spark: Any, data: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("all of it")
    frame = spark.read.parquet(str(data))
    for force in [False, True]:
        with pytest.raises(privet.InputError, match="there already"):
            anonymize(frame, METHODS["mondrian"], tmp_path / "mine", force=force)
    assert (tmp_path / "mine/thesis.txt").read_text() == "all of it"
    anonymize(frame, METHODS["mondrian"], tmp_path / "release")
    with pytest.raises(privet.InputError, match="there already"):
        anonymize(frame, METHODS["mondrian"], tmp_path / "release")
    anonymize(frame, METHODS["full-domain"], tmp_path / "release", force=True)


def test_what_cannot_run_is_refused_with_the_reason(spark: Any, data: Path, tmp_path: Path) -> None:
    refused = {
        "person": ("[data]", "[data]\nperson = 'name'"),
        "ledger": ("[data]", "[ledger]\npath = 'ledger'\n[data]"),
        "way of their own": ("[columns.weight]", "[columns.weight]\ndecimal = ','"),
    }
    for reason, (old, new) in refused.items():
        chosen = privet.Policy.parse(METHODS["mondrian"].to_toml().replace(old, new))
        with pytest.raises(privet.Error, match=reason):
            anonymize(spark.read.parquet(str(data)), chosen, tmp_path / "release")
    with pytest.raises(privet.Error, match="agee"):
        wrong = privet.Policy.parse(METHODS["mondrian"].to_toml().replace("columns.age", "columns.agee"))
        anonymize(spark.read.parquet(str(data)), wrong, tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_no_log_and_no_public_file_shows_a_secret(spark: Any, data: Path, tmp_path: Path, logs: Path) -> None:
    anonymize(spark.read.parquet(str(data)), METHODS["full-domain"], tmp_path / "release")
    time.sleep(2)
    seen = 0
    places = [*logs.rglob("*"), *(tmp_path / "release/public").rglob("*")]
    for path in places:
        if path.is_file():
            held = path.read_bytes()
            seen += len(held)
            assert str(SEED).encode() not in held, path
            assert b"Hidden-Name-" not in held, path
    assert seen > 10_000, "there are no logs"


@pytest.mark.skipif("PRIVET_SPARK_LARGE" not in os.environ, reason="PRIVET_SPARK_LARGE gives the number of rows")
def test_a_large_table(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as F

    rows = int(os.environ["PRIVET_SPARK_LARGE"])
    frame = spark.range(0, rows, 1, 16).select(
        F.col("id").alias("name"),
        (F.lit(18) + F.pmod(F.xxhash64("id", F.lit(1)), F.lit(70))).alias("age"),
        F.concat(F.lit("city "), F.pmod(F.xxhash64("id", F.lit(2)), F.lit(40)).cast("string")).alias("city"),
        (F.lit(40) + F.pmod(F.xxhash64("id", F.lit(3)), F.lit(12)) * 5).cast("double").alias("weight"),
        F.concat(F.lit("note "), F.pmod(F.xxhash64("id", F.lit(4)), F.lit(1000)).cast("string")).alias("note"),
        F.concat(F.lit("disease "), F.pmod(F.xxhash64("id", F.lit(5)), F.lit(20)).cast("string")).alias("disease"),
        F.pmod(F.xxhash64("id", F.lit(6)), F.lit(100000)).alias("extra_1"),
        F.pmod(F.xxhash64("id", F.lit(7)), F.lit(100000)).alias("extra_2"),
        F.pmod(F.xxhash64("id", F.lit(8)), F.lit(100000)).alias("extra_3"),
    )
    frame.write.parquet(str(tmp_path / "table"))
    sampler = Sampler()
    table = spark.read.parquet(str(tmp_path / "table"))
    release = privet.spark.anonymize(table, METHODS["mondrian"], tmp_path / "release", report_rows=0)
    after = sampler.stop()
    print(f"\n{rows:,} rows, {release.manifest['distinct_records']:,} distinct: seconds {release.manifest['seconds']}, plan "
          f"{release.manifest['plan_bytes']:,} bytes")
    for name in after:
        cpu, memory = after[name]
        print(f"{name}: {cpu:.1f} s of the processor, at most {memory:,} MB")


class Sampler(threading.Thread):
    """Watches what processes take: seconds of the processor and memory, by kind. Workers come and go, so it looks often."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seen: dict[str, tuple[str, float, float, int]] = {}
        self.over = threading.Event()
        self.look()
        self.start()

    def run(self) -> None:
        while not self.over.wait(0.3):
            self.look()

    def look(self) -> None:
        hertz = os.sysconf("SC_CLK_TCK")
        for folder in glob.glob("/proc/[0-9]*"):
            pid = folder.rsplit("/", 1)[1]
            try:
                words = Path(folder, "cmdline").read_bytes().decode(errors="replace")
                fields = Path(folder, "stat").read_text().rsplit(")", 1)[1].split()
                status = dict(line.split(":", 1) for line in Path(folder, "status").read_text().splitlines())
            except (OSError, IndexError):
                continue
            if pid == str(os.getpid()):
                kind = "driver, Python and Rust"
            elif "CoarseGrainedExecutorBackend" in words:
                kind = "executors, Java"
            elif "pyspark" in words and "daemon" in words:
                kind = "workers, Python and Rust"
            elif "SparkSubmit" in words:
                kind = "driver, Java"
            else:
                continue
            cpu = (int(fields[11]) + int(fields[12])) / hertz
            memory = int(status.get("VmHWM", "0 kB").split()[0]) // 1024
            # What a process took before is not counted; one that comes later began with nothing.
            first = self.seen[pid][1] if pid in self.seen else (0.0 if self.is_alive() else cpu)
            self.seen[pid] = (kind, first, cpu, memory)

    def stop(self) -> dict[str, tuple[float, int]]:
        """Seconds of the processor since the beginning, and the largest memory of a process, by kind."""
        self.over.set()
        self.join()
        self.look()
        kinds: dict[str, tuple[float, int]] = {}
        for kind, first, last, memory in self.seen.values():
            known = kinds.get(kind, (0.0, 0))
            kinds[kind] = (known[0] + last - first, max(known[1], memory))
        return kinds
