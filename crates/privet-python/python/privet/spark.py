"""Releases of tables that lie on many machines, with Apache Spark.

    import privet.spark

    release = privet.spark.anonymize(df, "policy.toml", "hdfs:///releases/patients")

Spark counts the distinct records, the driver decides, and the executors apply the plan to their rows. Cells are spelled, compared and
numbered by the same code as on one machine, so the release has the records that one machine releases of the same data under the same
policy and seed, for any number of partitions, executors and retries.

The plan holds the key of the run. It goes to the executors as a broadcast and nowhere else: query plans and event logs do not show it.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _privet
from .errors import AuditFailed, DataError, InputError
from .policy import Policy

__all__ = ["Release", "anonymize"]

#: Below about this many rows, one machine is faster and cheaper.
WORTH_A_CLUSTER = 100_000_000

#: Rows of one released file, about.
ROWS_PER_FILE = 5_000_000

#: Larger tables get no report, which takes the driver about as long as a release on one machine.
REPORT_ROWS = 10_000_000

#: Where the reports are.
REPORTS = ("public/report.html", "steward/report.html")

#: The column of released transactions.
ITEMS = "items"

#: The bytes of the largest plan that is broadcast.
LARGEST_PLAN = 2_000_000_000

#: What workers say about a row that was not counted.
CHANGED = "the table changed while it was being read"

#: A directory without it is not a release.
MANIFEST = "public/manifest.json"


@dataclass(frozen=True)
class Release:
    """A release that is in its place."""

    #: Where it is.
    path: str
    #: The steward's manifest.
    manifest: dict[str, Any]
    #: What to know before it is given to anybody.
    warnings: list[str] = field(default_factory=list)

    @property
    def public(self) -> str:
        """The directory that may be published."""
        return f"{self.path}/public"


def anonymize(
    df: Any,
    policy: Policy | str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    seed: int | None = None,
    files: int | None = None,
    force: bool = False,
    name: str = "table",
    attacks: Sequence[str] | None = None,
    report_rows: int = REPORT_ROWS,
) -> Release:
    """Makes, audits and publishes a release of a Spark data frame.

    ``target`` is a directory of any file system that Spark writes to. It must not be there, unless ``force`` replaces an earlier release.
    ``seed`` stands in for the policy's. ``files`` is the number of released files of each table.

    The reports and the attacks are made by the driver, from the counts, for tables up to ``report_rows`` rows; ``attacks`` says which
    attacks, as for :meth:`privet.Release.publish`. They are about the columns that the decision depends on.

    The frame is read twice and must give the same rows both times. Pin the version of Delta and Iceberg tables, as in
    ``spark.read.format("delta").option("versionAsOf", 12)``. A table that changed in between is refused.
    """
    if not isinstance(policy, Policy):
        policy = Policy.read(policy)
    written = policy._policy
    spark = df.sparkSession
    place = _Place(spark, os.fspath(target))
    place.claim(force)
    seconds: dict[str, float] = {}
    columns = _privet.readable(df.limit(0).toArrow())
    wanted = _privet.wanted(written, columns)
    lists = _privet.way(written, columns) == "lists"
    try:
        with _step("count", seconds):
            counted = _listed(df, columns, (wanted[0], wanted[1])) if lists else _counted(df, columns, wanted)
        with _step("decide", seconds):
            decision = _privet.ClusterDecision(written, name, columns, counted, seed)
            del counted
            plan = decision.plan()
            facts = json.loads(decision.facts())
        if plan is not None and len(plan) > LARGEST_PLAN:
            raise InputError(
                f"the plan has {len(plan):,} bytes, too many for the executors",
                help="use coarser hierarchies, or leave out a quasi-identifier",
            )
        files = files or facts["released"] // ROWS_PER_FILE + 1
        with _step("write", seconds), _changes_named():
            if plan is not None:
                own = _privet.RowPlan(plan)
                tables = [_Written("release", own.released, own.decided)]
                _write(df, own, plan, files, place.staged("public/release"))
            else:
                tables = []
                for title, cells, rows in decision.tables():
                    tables.append(_Written(title, cells, cells))
                    _spell_out(spark, rows, cells or [ITEMS], files, place.staged(f"public/{title}"))
        with _step("audit", seconds):
            again = [(table.judged, _recounted(spark, table, place.staged(f"public/{table.name}"))) for table in tables]
            found = json.loads(decision.audit(again))
        _approve(found, facts)
        attacked = None
        if facts["read"] <= report_rows:
            with _step("report", seconds):
                attacked = _reported(decision, attacks, place)
        manifest = _manifest(facts, found["audit"], files, seconds, len(plan or b""), attacked)
        place.put("steward/policy.toml", policy.to_toml())
        place.put("steward/plan.json", _pretty(facts["plan"]))
        place.put("steward/audit.txt", found["text"])
        place.put("steward/manifest.json", _pretty(manifest))
        place.publish(_pretty(_for_everybody(facts, tables)))
    except BaseException:
        place.clear()
        raise
    notes = list(facts["warnings"])
    if facts["read"] < WORTH_A_CLUSTER:
        notes.append(f"one machine is faster for {facts['read']:,} rows; see the page on Spark")
    return Release(os.fspath(target), manifest, notes)


@contextmanager
def _step(name: str, seconds: dict[str, float]) -> Iterator[None]:
    """A step of a run, with the time that it takes."""
    start = time.monotonic()
    yield
    seconds[name] = round(time.monotonic() - start, 3)


@contextmanager
def _changes_named() -> Iterator[None]:
    """Names what a worker found, instead of Spark's account of where it was found."""
    try:
        yield
    except Exception as error:
        if CHANGED not in str(error):
            raise
        raise DataError(
            f"{CHANGED}: a row was not there when rows were counted; nothing was published",
            help="run it again when nothing writes to the table, or pin its version",
        ) from None


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _counted(df: Any, columns: list[str], wanted: list[int]) -> Any:
    """How often each distinct record occurs: Privet spells the cells, and Spark adds up the counts of equal bytes."""
    from pyspark.sql import functions as F

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        from privet import _privet
        from pyspark import TaskContext

        tally = _privet.Tally(columns, wanted, TaskContext.get().partitionId())
        for batch in batches:
            tally.add(batch)
            if tally.is_full():
                yield from _batches(tally.partial())
        yield from _batches(tally.partial())

    partial = df.mapInArrow(count, "key binary, count long")
    return partial.groupBy("key").agg(F.sum("count").alias("count")).toArrow()


def _listed(df: Any, columns: list[str], wanted: tuple[int, int]) -> Any:
    """How often each distinct transaction occurs. Its items are in an order of their own, not in that of the rows."""
    from pyspark.sql import functions as F

    def name(batches: Iterator[Any]) -> Iterator[Any]:
        from privet import _privet
        from privet.spark import _batches

        for batch in batches:
            yield from _batches(_privet.named_items(columns, wanted, batch))

    named = df.mapInArrow(name, "id binary, item binary")
    whole = named.groupBy("id").agg(F.sort_array(F.collect_list("item")).alias("items"))
    return whole.groupBy("items").agg(F.count(F.lit(1)).alias("count")).toArrow()


def _batches(table: Any) -> Iterator[Any]:
    """The batches of a table of Privet's, as Spark takes them."""
    import pyarrow

    yield from pyarrow.table(table).to_batches()


#: The plan that this process applied last, by the run's name.
_held: dict[str, Any] = {}


def _plan_of(run: str, shared: Any) -> Any:
    """The plan of a run in a worker, which reads it once."""
    if run not in _held:
        from privet import _privet

        plan = _privet.RowPlan(shared.value)
        _held.clear()
        _held[run] = plan
    return _held[run]


@dataclass(frozen=True)
class _Written:
    """A table of a release."""

    name: str
    #: Its columns; none for transactions.
    cells: list[str] | None
    #: Those that the audit judges.
    judged: list[str] | None


def _write(df: Any, own: Any, plan: bytes, files: int, path: str) -> None:
    """Writes the released rows. Which file a row is in and where follows from its cells and the key alone."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    order, record, number = _privet.SERVICE_COLUMNS
    cells = own.released
    types = [(order, "long"), (record, "long"), (number, "binary"), *((cell, "string") for cell in cells)]
    schema = ", ".join(f"{_quoted(name)} {kind}" for name, kind in types)
    shared = df.sparkSession.sparkContext.broadcast(plan)
    run = uuid.uuid4().hex

    def whole(batches: Iterator[Any]) -> Iterator[Any]:
        from privet.spark import _batches, _plan_of

        plan = _plan_of(run, shared)
        for batch in batches:
            yield from _batches(plan.apply(batch, False))

    def parted(batches: Iterator[Any]) -> Iterator[Any]:
        from privet.spark import _batches, _plan_of

        plan = _plan_of(run, shared)
        for batch in batches:
            yield from _batches(plan.apply(batch, True))

    def settle(batches: Iterator[Any]) -> Iterator[Any]:
        from privet.spark import _batches, _plan_of

        plan = _plan_of(run, shared)
        for batch in batches:
            yield from _batches(plan.settle(batch))

    try:
        rows = df.mapInArrow(whole, schema)
        if own.parts:
            # Rows of one record that part ways take turns by a number. Rows of one number are the same in everything.
            turns = Window.partitionBy(_quoted(record)).orderBy(_quoted(number))
            ranked = df.mapInArrow(parted, schema).withColumn("privet: turn", (F.row_number().over(turns) - 1).cast("long"))
            rows = rows.union(ranked.mapInArrow(settle, schema))
        _lay_out(rows, cells, files, path)
    finally:
        shared.destroy()


def _spell_out(spark: Any, counted: Any, cells: list[str], files: int, path: str) -> None:
    """Writes a table that is known by its distinct rows."""
    import pyarrow
    from pyspark.sql import functions as F

    _, _, count = _privet.SERVICE_COLUMNS
    rows = spark.createDataFrame(pyarrow.table(counted))
    rows = rows.withColumn("privet: copy", F.explode(F.sequence(F.lit(1).cast("long"), F.col(_quoted(count)))))
    _lay_out(rows, cells, files, path)


def _lay_out(rows: Any, cells: list[str], files: int, path: str) -> None:
    """Writes rows in the order of their numbers, in this number of files."""
    from pyspark.sql import functions as F

    order = _privet.SERVICE_COLUMNS[0]
    rows = rows.repartition(files, F.col(_quoted(order)))
    rows = rows.sortWithinPartitions(*(F.col(_quoted(name)) for name in [order, *cells]))
    rows.select(*(F.col(_quoted(cell)) for cell in cells)).write.parquet(path)


def _recounted(spark: Any, table: _Written, path: str) -> Any:
    """How often each combination of cells occurs in the written files."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, StringType, StructField, StructType

    if table.cells is None:
        schema = StructType([StructField(ITEMS, ArrayType(StringType()))])
    else:
        schema = StructType([StructField(cell, StringType()) for cell in table.cells])
    there = spark.read.parquet(path).columns
    if there != schema.names:
        raise AuditFailed(f"the written files have the columns {there}, not {schema.names}; nothing was published")
    written = spark.read.schema(schema).parquet(path)
    columns = (F.col(_quoted(cell)) for cell in table.judged or [ITEMS])
    return written.groupBy(*columns).agg(F.count(F.lit(1)).alias("privet: count")).toArrow()


def _reported(decision: Any, attacks: Sequence[str] | None, place: _Place) -> Any:
    """Puts the reports into their places; returns what attacks found."""
    with tempfile.TemporaryDirectory(prefix="privet-") as folder:
        target = os.path.join(folder, "release")
        manifest = json.loads(decision.report(target, None if attacks is None else list(attacks)))
        for name in REPORTS:
            place.put(name, Path(target, name).read_text(encoding="utf-8"))
    return manifest["attacks"]


def _approve(found: dict[str, Any], facts: dict[str, Any]) -> None:
    """Refuses to publish what did not pass its audit."""
    audit = found["audit"]
    if audit["records"]["released"] != facts["released"]:
        raise DataError(
            f"{CHANGED}: {facts['released']:,} rows were to be released, and "
            f"{audit['records']['released']:,} were; nothing was published",
            help="run it again when nothing writes to the table, or pin its version",
        )
    if not audit["passed"]:
        raise AuditFailed("the release failed its audit and was not published:\n" + found["text"])


def _manifest(facts: dict[str, Any], audit: Any, files: int, seconds: dict[str, float], plan: int, attacks: Any) -> dict[str, Any]:
    return {
        "privet": _privet.__version__,
        "made_by": "privet.spark",
        "method": facts["method"],
        "requirements": facts["requirements"],
        "seed": facts["seed"],
        "records": {name: facts[name] for name in ("read", "dropped", "suppressed", "released")},
        "distinct_records": facts["distinct"],
        "loss": {"metric": facts["metric"], "normalised": facts["loss"]},
        "optimal": facts["optimal"],
        "warnings": facts["warnings"],
        "audit": audit,
        "attacks": attacks,
        "files": files,
        "plan_bytes": plan,
        "seconds": seconds,
    }


def _for_everybody(facts: dict[str, Any], tables: list[_Written]) -> dict[str, Any]:
    """What readers of the release may know."""
    return {
        "privet": _privet.__version__,
        "requirements": facts["public_requirements"],
        "records": {"released": facts["released"]},
        "files": [f"{table.name}/*.parquet" for table in tables],
    }


def _pretty(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


class _Place:
    """A directory that appears whole or not at all, in whatever file system Spark writes to.

    All is written next to it first, and the public manifest last of all.
    """

    def __init__(self, spark: Any, target: str) -> None:
        context = spark.sparkContext
        self._path: Any = context._jvm.org.apache.hadoop.fs.Path
        self._target = target.rstrip("/")
        self._files = self._path(self._target).getFileSystem(context._jsc.hadoopConfiguration())
        self._staging = self._target + ".privet-staging"

    def _is_there(self, name: str) -> bool:
        return bool(self._files.exists(self._path(name)))

    def claim(self, force: bool) -> None:
        if self._is_there(self._target):
            finished = self._is_there(f"{self._target}/{MANIFEST}")
            # A run that was killed between its last two steps leaves a directory without a public manifest.
            unfinished = not finished and self._is_there(f"{self._target}/steward/manifest.json")
            if not unfinished and not (force and finished):
                raise InputError(
                    "the target is there already",
                    file=self._target,
                    help="choose another target, or replace the release with force=True" if finished else "choose another target",
                )
        # So does one that was killed before.
        self._files.delete(self._path(self._staging), True)

    def staged(self, name: str) -> str:
        return f"{self._staging}/{name}"

    def put(self, name: str, text: str) -> None:
        self._write(self.staged(name), text)

    def publish(self, manifest: str) -> None:
        if self._is_there(self._target):
            self._files.delete(self._path(self._target), True)
        if not self._files.rename(self._path(self._staging), self._path(self._target)):
            raise InputError("the release cannot be moved into its place", file=self._target)
        self._write(f"{self._target}/{MANIFEST}", manifest)

    def clear(self) -> None:
        try:
            self._files.delete(self._path(self._staging), True)
        except Exception:  # noqa: BLE001: what went wrong first is what matters
            pass

    def _write(self, name: str, text: str) -> None:
        out = self._files.create(self._path(name), True)
        try:
            out.write(bytearray(text.encode("utf-8")))
        finally:
            out.close()
