"""BigQuery, through its official client. A dry run must call the query a SELECT before it is run.

::

    bq: {engine: bigquery}                                    # bigquery_credential.json in the working folder
    bq: {engine: bigquery, project: my-project, dataset: my-project.shop, credentials: keys/reader.json}

Without a credential file the client looks in its usual places (GOOGLE_APPLICATION_CREDENTIALS and so on).
"""

from __future__ import annotations

import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from karat.core.json_types import JsonMapping
from karat.core.problems import UserError
from karat.core.secrets.masking import Secrets
from karat.engines.drivers import driver
from karat.engines.protocol import EngineConfig, EngineError, EngineType, ResultTable
from karat.engines.query.deadline import within
from karat.engines.query.fetching import as_table, batches, fetched
from karat.engines.query.fingerprints import server_fingerprint
from karat.engines.query.guard import check
from karat.engines.secrets import credential_file, credential_secrets

if TYPE_CHECKING:
    from google.cloud.bigquery import Client, QueryJobConfig

USUAL_FILE = "bigquery_credential.json"
SCOPES = ("https://www.googleapis.com/auth/bigquery", "https://www.googleapis.com/auth/drive.readonly")
RETRY_FOR = 15.0
"""Seconds during which a call that failed for a passing reason is tried again."""
CANCEL_FOR = 2.0


class BigqueryConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which project pays, where names without a dataset are looked up, how much may be read."""

    project: str = ""
    """Left out: the project of the credentials."""
    dataset: str = ""
    """``project.dataset`` for table names without one."""
    location: str = ""
    credentials: str = ""
    """A credential file. Left out: bigquery_credential.json in the working folder, then the client's environment."""
    maximum_bytes_billed: int | None = None
    api_endpoint: str = ""
    """Another address of the service; on this machine itself (an emulator) no credentials are needed."""


class BigqueryEngine:
    """An open client. Each query is a job of its own, with an id that is known before it starts."""

    name = "bigquery"
    dialect = "bigquery"

    def __init__(self, config: BigqueryConfig, folder: Path) -> None:
        self._bigquery = driver("google.cloud.bigquery", "bigquery")
        self._errors = driver("google.api_core.exceptions", "bigquery")
        self._auth_errors = driver("google.auth.exceptions", "bigquery")
        self._config = config
        found, _ = credential_file(config.credentials, USUAL_FILE, folder)
        self._secrets = Secrets(credential_secrets(found or {}))
        self._client = self._opened(found)
        self._retry = self._bigquery.DEFAULT_RETRY.with_timeout(RETRY_FOR)

    def run(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        return self.unguarded(check(sql, self.dialect), timeout=timeout, row_limit=row_limit)

    def unguarded(self, sql: str, *, timeout: float, row_limit: int) -> ResultTable:
        """Run without the first look at the SQL; what the service itself does not call a SELECT is still refused."""
        begun = time.monotonic()
        job_id = f"karat_{uuid.uuid4().hex}"

        def work() -> ResultTable:
            self._refuse_writing(sql)
            limit = {"job_timeout_ms": round(timeout * 1000)}
            job = self._client.query(
                sql, job_config=self._job_config(**limit), job_id=job_id, retry=self._retry, job_retry=None
            )
            result = job.result(max_results=row_limit + 1, retry=self._retry, job_retry=None)
            names = [field.name for field in result.schema]
            rows, truncated = fetched(batches(tuple(row.values()) for row in result), row_limit)
            return as_table(names, rows, truncated, time.monotonic() - begun)

        try:
            return within(work, timeout, lambda: self._cancel(job_id))
        except EngineError:
            self._let_go(job_id)
            raise
        except Exception as error:
            self._let_go(job_id)
            raise self._failure(error, timeout) from None

    def _refuse_writing(self, sql: str) -> None:
        job = self._client.query(
            sql, job_config=self._job_config(dry_run=True, use_query_cache=False), retry=self._retry, job_retry=None
        )
        if job.statement_type != "SELECT":
            raise EngineError("refused", f"the query was not run: BigQuery classifies it as {job.statement_type}")

    def _job_config(self, **more: object) -> QueryJobConfig:
        settings: dict[str, object] = {"use_legacy_sql": False, **more}
        if self._config.dataset:
            settings["default_dataset"] = self._config.dataset
        if self._config.maximum_bytes_billed is not None:
            settings["maximum_bytes_billed"] = self._config.maximum_bytes_billed
        return self._bigquery.QueryJobConfig(**settings)

    def _let_go(self, job_id: str) -> None:
        """Stop a job whose rows are no longer wanted, without waiting for it: it may never have begun."""

        def cancel() -> None:
            with suppress(Exception):
                self._cancel(job_id)

        threading.Thread(target=cancel, daemon=True).start()

    def _cancel(self, job_id: str) -> None:
        self._client.cancel_job(job_id, retry=None, timeout=CANCEL_FOR)

    def _failure(self, error: Exception, timeout: float) -> EngineError:
        text = self._secrets.text(str(getattr(error, "message", "") or error)).strip()
        if "timed out" in text.lower() or "job_timeout" in text.lower():
            return EngineError("timeout", f"the query was stopped after {timeout:g} s")
        if isinstance(error, self._errors.Forbidden):
            return EngineError("refused", text)
        if isinstance(error, self._errors.ClientError) and not isinstance(error, self._errors.Unauthorized):
            return EngineError("sql_error", text)
        return EngineError("connection", text)

    def _opened(self, found: JsonMapping | None) -> Client:
        options = {"api_endpoint": self._config.api_endpoint} if self._config.api_endpoint else None
        project = self._config.project or (found or {}).get("project_id")
        try:
            return self._bigquery.Client(
                project=project,
                credentials=self._credentials(found),
                location=self._config.location or None,
                client_options=options,
            )
        except (self._auth_errors.GoogleAuthError, ValueError, OSError) as error:
            raise UserError(
                f"BigQuery cannot be reached: {self._secrets.text(str(error))}",
                hint=f"Put {USUAL_FILE} into the working folder, name a credential file, or log in with gcloud.",
            ) from None

    def _credentials(self, found: JsonMapping | None) -> object:
        if found is not None:
            # Only what is a credential by itself: some kinds name a program or an address to ask.
            if found.get("type") not in ("service_account", "authorized_user"):
                raise ValueError('the credential file has an unknown type ("service_account", "authorized_user")')
            return driver("google.auth", "bigquery").load_credentials_from_dict(found, scopes=SCOPES)[0]
        if urlsplit(self._config.api_endpoint).hostname in ("127.0.0.1", "localhost", "::1"):
            return driver("google.auth.credentials", "bigquery").AnonymousCredentials()
        return None

    def fingerprint(self) -> str:
        settings = self._config
        account = getattr(getattr(self._client, "_credentials", None), "service_account_email", "")
        return server_fingerprint(
            "bigquery", settings.api_endpoint, self._client.project, settings.dataset, settings.location, account
        )

    def close(self) -> None:
        with suppress(Exception):
            self._client.close()


def _open(config: BigqueryConfig, folder: Path) -> BigqueryEngine:
    return BigqueryEngine(config, folder)


engine = EngineType("bigquery", "Google BigQuery", BigqueryConfig, _open)
